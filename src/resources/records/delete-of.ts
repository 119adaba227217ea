/** The record that deletes a resource at once, derived from its view. Deletions by operation are in `deletion.ts`. */
import type { Call } from '../../kernel/call.ts';
import type { ProblemCode } from '../../kernel/problems/catalogue.ts';
import { type Endpoint, endpoint, noContent } from '../../kernel/record.ts';
import type { TObject } from '../../kernel/schema.ts';
import type { Owned } from '../owned/owned.ts';
import type { OwnedTableName, RowOf } from '../owned/table.ts';
import type { Params, View } from './view.ts';
import { withArticle } from './words.ts';

interface DeleteOptions<Row> {
  readonly id: string;
  /** Left out: `Delete a volume`. */
  readonly summary?: string;
  readonly description?: string;
  readonly problems?: readonly ProblemCode[];
  /** Runs while the row is locked: throws a problem if the resource cannot be deleted now. */
  check?(call: Call<Params>, row: Row): Promise<void>;
}

type Removing<T extends OwnedTableName, S extends object> = Pick<Owned<T, string, S>, 'take' | 'remove'>;

export function deleteOf<A extends TObject, T extends OwnedTableName, S extends object>(
  view: View<A, RowOf<T> & S, T> & { readonly source: Removing<T, S> },
  { id, summary, description, problems = [], check }: DeleteOptions<RowOf<T> & S>,
): Endpoint {
  const { source, one, param } = view;
  return endpoint({
    id,
    method: 'DELETE',
    path: one.path,
    summary: summary ?? `Delete ${withArticle(source.words)}`,
    ...(description === undefined ? {} : { description }),
    permission: view.permission('delete'),
    access: 'destructive',
    resource: { name: source.type, role: 'delete' },
    params: one.params,
    answers: { 204: null },
    problems,
    example: { params: one.example, answer: { status: 204, body: null } },
    async handle(erased) {
      const call = erased as unknown as Call<Params>;
      const row = await source.take(call, call.params[param] ?? '');
      await check?.(call, row);
      await source.remove(call, row);
      return noContent;
    },
  });
}
