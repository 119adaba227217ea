/**
 * Configuration that callers declare with `PUT …/{id}`, where the id is the caller's own name for the object or the id
 * of an existing one. Ids always contain an underscore and names never do, so the two cannot be confused.
 */
import type { Call } from '../call.ts';
import { Problem } from '../problems/problem.ts';
import type { Endpoint } from '../record.ts';
import { Shape, Type } from '../schema.ts';
import { written } from '../text-patterns.ts';
import { lockDeclarations } from './store.ts';

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** The path parameters of endpoints that accept a name or an id. */
export function NameOrId(prefix: string) {
  return Shape({
    id: Type.Unsafe<string>({
      type: 'string',
      ...written(
        `^(${NAME}|${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
        `Must be a name of at most 63 lower-case letters, digits and hyphens, with a letter or a digit at both ends, or an id that starts with ${prefix}_.`,
      ),
      description: 'The name that you gave it, or its id.',
    }),
  });
}

/** Whether a PUT with an unknown name creates the object. Such an endpoint also accepts `If-None-Match: *`. */
export const declares = ({ method, answers }: Pick<Endpoint, 'method' | 'answers'>): boolean =>
  method === 'PUT' && answers[201] !== undefined;

export type Reference = { readonly by: 'id' | 'name'; readonly value: string };

export const referenceOf = (text: string): Reference => ({
  by: text.includes('_') ? 'id' : 'name',
  value: text,
});

type Find<Row> = (reference: Reference) => Promise<Row | undefined>;

/** Throws 404 if the object does not exist. A call that changes it locks the row in `find`, then checks its version. */
export async function findNamed<Row>(nameOrId: string, find: Find<Row>): Promise<Row> {
  const row = await find(referenceOf(nameOrId));
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/**
 * For a PUT: returns the row to replace, or the name of the object to create. Locks declarations of this type until the
 * transaction ends, so that the name stays free and counts stay true.
 */
export async function findDeclared<Row>(
  call: Pick<Call<{ id: string }>, 'params' | 'checkVersion' | 'db' | 'caller'>,
  type: string,
  find: Find<Row>,
  etagOf: (row: Row) => string,
): Promise<{ readonly existing: Row } | { readonly existing: null; readonly name: string }> {
  await lockDeclarations(call.db, call.caller.account.id, type);
  const reference = referenceOf(call.params.id);
  const existing = await find(reference);
  if (existing === undefined && reference.by === 'id') throw new Problem('not_found');
  call.checkVersion(existing === undefined ? null : etagOf(existing));
  return existing === undefined ? { existing: null, name: reference.value } : { existing };
}
