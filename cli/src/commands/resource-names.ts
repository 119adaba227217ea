/** The names of resources by their ids, from the inventory of the account: people know names. */
import type { Document } from '../document/document.ts';
import { Failure } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import { isId } from '../input/references.ts';
import type { Session } from '../session.ts';
import { anyResource } from './things.ts';

/** So many ids fit into one call. */
const AT_ONCE = 50;

export function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return isId(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(idsIn);
}

export class ResourceNames {
  readonly #session: Session;
  readonly #document: Document;
  readonly #known = new Map<string, string | undefined>();
  #isRefused = false;

  constructor(session: Session, document: Document) {
    this.#session = session;
    this.#document = document;
  }

  readonly nameOf = (id: string): string | undefined => this.#known.get(id);

  /** Looks up all ids in the value that are not known yet. A key that may not read the inventory sees ids. */
  async learn(value: unknown): Promise<void> {
    const ids = [...new Set(idsIn(value))].filter((id) => !this.#known.has(id));
    for (let from = 0; from < ids.length && !this.#isRefused; from += AT_ONCE)
      await this.#ask(ids.slice(from, from + AT_ONCE));
  }

  async #ask(ids: readonly string[]): Promise<void> {
    const list = this.#document.find(anyResource.list);
    if (list === undefined) return;
    for (const id of ids) this.#known.set(id, undefined);
    try {
      const query = { ids: ids.join(','), limit: String(AT_ONCE) };
      const { body } = await this.#session.client.call({
        method: 'GET',
        path: urlOf(list.path, { params: {}, query }),
      });
      const { data } = body as { readonly data: readonly { id: string; name: string | null }[] };
      for (const { id, name } of data) if (name !== null && name !== '') this.#known.set(id, name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#isRefused = true;
    }
  }
}
