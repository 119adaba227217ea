/**
 * Named configuration is declared, not created: `PUT …/{id}`, where the id is the caller's own name for the thing or
 * the id of one that exists. Names hold no underscore and ids always do, so the two never meet.
 */
import type { Call } from '../call.ts';
import { Problem } from '../problems/problem.ts';
import type { Endpoint } from '../record.ts';
import { Shape, Type } from '../schema.ts';
import { lockDeclarations } from './store.ts';

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** The path parameters of everything that may be called by name or id. */
export function NameOrId(prefix: string) {
  return Shape({
    id: Type.Unsafe<string>({
      type: 'string',
      pattern: `^(${NAME}|${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
      description: 'Your name for it, or its id.',
    }),
  });
}

/** Whether an unknown name makes a new one: it then also takes `If-None-Match: *`. */
export const declares = ({ method, answers }: Pick<Endpoint, 'method' | 'answers'>): boolean =>
  method === 'PUT' && answers[201] !== undefined;

export type Reference = { readonly by: 'id' | 'name'; readonly value: string };

export const referenceOf = (text: string): Reference => ({
  by: text.includes('_') ? 'id' : 'name',
  value: text,
});

type Find<Row> = (reference: Reference) => Promise<Row | undefined>;

/** Where it has to be there. A call that changes it locks it in `find` and then checks its version. */
export async function findNamed<Row>(nameOrId: string, find: Find<Row>): Promise<Row> {
  const row = await find(referenceOf(nameOrId));
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/**
 * Of a PUT: the row to replace, or the name of the one to make. Holds off other declarations of the type until the
 * transaction ends, so what was not there stays away and what was counted stays counted.
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
