/** The record that deletes a resource at once, derived from its view. Deletions by operation are in `deletion.ts`. */
import type { Call } from '../../kernel/call.ts';
import { type Endpoint, endpoint, noContent } from '../../kernel/record.ts';
import type { TObject } from '../../kernel/schema.ts';
import type { Owned } from '../owned/owned.ts';
import type { OwnedTableName, RowOf } from '../owned/table.ts';
import { type Head, headOf } from './head.ts';
import type { Params, View } from './view.ts';

interface DeleteOptions<Row> extends Head {
  /** Runs while the row is locked: throws a problem if the resource cannot be deleted now. */
  check?(call: Call<Params>, row: Row): Promise<void>;
}

type Removing<T extends OwnedTableName, S extends object> = Pick<Owned<T, string, S>, 'take' | 'remove'>;

export function deleteOf<A extends TObject, T extends OwnedTableName, S extends object>(
  view: View<A, RowOf<T> & S, T> & { readonly source: Removing<T, S> },
  { check, ...head }: DeleteOptions<RowOf<T> & S>,
): Endpoint {
  const { source, param } = view;
  const { example: named, ...facts } = headOf(view, 'delete', head);
  return endpoint({
    ...facts,
    answers: { 204: null },
    example: { ...named, answer: { status: 204, body: null } },
    async handle(erased) {
      const call = erased as unknown as Call<Params>;
      const row = await source.take(call, call.params[param] ?? '');
      await check?.(call, row);
      await source.remove(call, row);
      return noContent;
    },
  });
}
