/** The SQL that all resource lists share: filters by name, labels and dates, sorting and paging. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../../store/database.ts';
import type { Call } from '../call.ts';
import { parseLabelSelector } from '../pages/label-selector.ts';
import {
  type CreatedWithin,
  createdWithin,
  labelsMatch,
  type Owner,
  type Page,
  readPage,
} from '../pages/store.ts';

interface ResourceQueryParams extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly name?: string | undefined;
  readonly label_selector?: string | undefined;
}

/** The columns that a list filters and sorts by. */
type ListedColumns = Record<'id' | 'account_id' | 'name' | 'labels' | 'created_at' | 'updated_at', unknown>;

export type ListedTable = {
  [T in keyof Tables]: Tables[T] extends ListedColumns ? T : never;
}[keyof Tables];

export type ListCall = Pick<Call<unknown, ResourceQueryParams>, 'db' | 'query' | 'caller' | 'services'>;

/**
 * `query` selects from `table` and already filters by the endpoint's own parameters. The page contains only rows of the
 * account, or of another `owner` that the query filters by account.
 */
export function readResources<T extends ListedTable, Row>(
  call: Omit<ListCall, 'db'>,
  table: T,
  endpoint: string,
  query: SelectQueryBuilder<Tables, T, Row>,
  owner: Owner = { column: sql.ref(`${table}.account_id`), id: call.caller.account.id },
): Promise<Page<Row>> {
  const { name, label_selector } = call.query;
  const column = (of: string) => sql.ref(`${table}.${of}`);
  let filtered = query.where(createdWithin(column('created_at'), call.query));
  if (name !== undefined) filtered = filtered.where(sql<boolean>`${column('name')} = ${name}`);
  if (label_selector !== undefined)
    filtered = filtered.where(labelsMatch(column('labels'), parseLabelSelector(label_selector)));
  const id = { column: column('id'), type: 'text' } as const;
  return readPage(call, filtered, {
    endpoint,
    owner,
    id,
    sorts: {
      created_at: id,
      updated_at: { column: column('updated_at'), type: 'timestamptz' },
      name: { column: column('name'), type: 'text' },
    },
  });
}
