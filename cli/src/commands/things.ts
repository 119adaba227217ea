/** Finds a resource of any type by its id or name, in the inventory of the account. */
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { Document } from '../document/document.ts';
import type { Reference } from '../document/schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { isId, Names } from '../input/references.ts';
import type { Session } from '../session.ts';

export interface Thing {
  readonly type: string;
  readonly id: string;
  readonly name: string | null;
}

/** For the completion of names. */
export const anyResource: Reference = { list: 'listResources', value: 'id', label: 'name' };

/** `types`: only resources of these types. */
export async function findThing(
  { client }: Session,
  document: Document,
  text: string,
  types?: readonly string[],
): Promise<Thing> {
  const list = document.find(anyResource.list);
  const names = new Names(document, client);
  const all = async (query: Readonly<Record<string, string>>): Promise<readonly Thing[]> =>
    list === undefined
      ? []
      : ((await names.rows(list, { params: {}, query })) as unknown as readonly Thing[]);
  const isWanted = ({ type }: Thing): boolean => types === undefined || types.includes(type);
  const found = (await all(isId(text) ? { ids: text } : {})).filter(isWanted);
  const matching = found.filter(({ id, name }) => id === text || name === text);
  const [thing] = matching;
  if (matching.length > 1) {
    const ids = matching.map(({ type, id }) => `  ${type} ${id}`).join('\n');
    throw new Failure(
      `"${text}" is the name of several resources. Name one by its id:\n${ids}`,
      exitCodes.usage,
    );
  }
  if (thing !== undefined) return thing;
  const near = nearest(
    text,
    found.map(({ name }) => name ?? ''),
  );
  const hint =
    near === null ? 'hostplane account resource list shows what there is.' : `Did you mean ${near}?`;
  throw new Failure(`There is nothing called "${text}". ${hint}`, exitCodes.notFound);
}
