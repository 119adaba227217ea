/** Pages over rows in memory (the registry, the price list), with the same parameters and cursors as other lists. */
import { canonicalJson } from '../audit/canonical-json.ts';
import type { Call } from '../call.ts';
import { Problem } from '../problems/problem.ts';

interface PagedQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export function sliceFrom<Row>(
  call: Pick<Call<unknown, PagedQuery>, 'query' | 'caller' | 'services'>,
  endpoint: string,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): { page: Row[]; nextCursor: string | null } {
  const { limit, cursor, ...filters } = call.query;
  const list = `${call.caller.account.id} ${endpoint} ${canonicalJson(filters)}`;
  const [after] = cursor === undefined ? [] : call.services.cursors.read(list, cursor, 1);
  const start = after === undefined ? 0 : rows.findIndex((row) => idOf(row) === after) + 1;
  if (after !== undefined && start === 0)
    throw new Problem('invalid_cursor', { detail: 'The last row of the previous page no longer exists.' });
  const page = rows.slice(start, start + limit);
  const last = page.at(-1);
  const hasMore = start + limit < rows.length;
  return {
    page,
    nextCursor: hasMore && last !== undefined ? call.services.cursors.write(list, [idOf(last)]) : null,
  };
}
