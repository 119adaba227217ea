/** The names of resources by their ids, from the inventory of the account: people know names. */
import type { Document, Operation } from '../document/document.ts';
import { Failure } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import { fits, isId } from '../input/references.ts';
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
    await this.#askLists(ids.filter((id) => this.#known.get(id) === undefined));
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

  /**
   * The inventory has the resources of products. What belongs to the account itself, such as an API key, is looked up in
   * its own list. Several keys may have one name, so the id stays beside it.
   */
  async #askLists(unknown: readonly string[]): Promise<void> {
    const lists = new Set(unknown.flatMap((id) => this.#listFor(id) ?? []));
    for (const list of lists) {
      try {
        const { body } = await this.#session.client.call({ method: 'GET', path: list.path });
        const { data } = body as { readonly data: readonly { id: string; name: string | null }[] };
        for (const { id, name } of data)
          if (unknown.includes(id) && name) this.#known.set(id, `${name} (${id})`);
      } catch (error) {
        // A key that may not read the list sees ids.
        if (!(error instanceof Failure)) throw error;
      }
    }
  }

  /** The list whose rows have such ids and names, if it needs no other id to be read. */
  #listFor(id: string): Operation | undefined {
    const { schemas, operations } = this.#document;
    const inventory = this.#document.find(anyResource.list);
    const ofAccount = operations.filter(
      ({ id: own, path, resource, words }) =>
        resource.role === 'list' &&
        words.family === inventory?.words.family &&
        own !== inventory?.id &&
        !path.includes('{'),
    );
    return ofAccount.find((list) => {
      const row = this.#document.rowOf(list);
      if (row === undefined) return false;
      const { id: own, name } = schemas.members(row);
      const pattern = own && schemas.plain(own).pattern;
      return name !== undefined && pattern !== undefined && fits({ pattern }, id);
    });
  }
}
