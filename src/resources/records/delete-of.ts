/** The record that deletes a resource at once, derived from its view. Deletions by operation are in `deletion.ts`. */
import type { Call } from '../../kernel/call.ts';
import { type Endpoint, endpoint, noContent } from '../../kernel/record.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { Owned } from '../owned/owned.ts';
import type { OwnedTableName, RowOf } from '../owned/table.ts';
import { type Head, headOf } from './head.ts';
import type { Params, View } from './view.ts';

interface DeleteOptions<Row, Q extends TObject> extends Head {
  readonly query?: Q;
  readonly lowersCost?: true;
  /** Runs while the row is locked: throws if the resource cannot be deleted now, or takes it from what uses it. */
  check?(call: Call<Params, Static<Q>>, row: Row): Promise<void>;
}

type Removing<T extends OwnedTableName, S extends object> = Pick<Owned<T, string, S>, 'take' | 'remove'>;

export function deleteOf<
  A extends TObject,
  T extends OwnedTableName,
  S extends object,
  Q extends TObject = TObject,
>(
  view: View<A, RowOf<T> & S, T> & { readonly source: Removing<T, S> },
  { check, query, lowersCost, ...head }: DeleteOptions<RowOf<T> & S, Q>,
): Endpoint {
  const { source, param } = view;
  const { example: named, ...facts } = headOf(view, 'delete', head);
  return endpoint({
    ...facts,
    ...(query && { query: query as TObject }),
    ...(lowersCost && { lowersCost }),
    answers: { 204: null },
    example: { ...named, answer: { status: 204, body: null } },
    async handle(erased) {
      const call = erased as unknown as Call<Params, Static<Q>>;
      const row = await source.take(call, call.params[param] ?? '');
      await check?.(call, row);
      await source.remove(call, row);
      return noContent;
    },
  });
}
