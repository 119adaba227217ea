import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { parseLabelSelector } from '../../../kernel/pages/label-selector.ts';
import {
  type CreatedWithin,
  createdWithin,
  labelsMatch,
  type Page,
  readPage,
} from '../../../kernel/pages/store.ts';
import type { Tables } from '../../../store/database.ts';

/** The tables of what the provider offers too. */
export type OfferedTable = 'vps_images' | 'vps_isos';

/** `own`: only rows of the account; `public`: only those of the provider. */
type Side = 'own' | 'public';

/** Selects from the rows of the account and those of the provider, as if all of them were in the table. */
export function fromOffered<T extends OfferedTable>(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  table: T,
  ofProvider: readonly Selectable<Tables[T]>[],
  side?: Side,
): SelectQueryBuilder<Tables, T, object> {
  const rows = sql.table(table);
  const own = sql`select * from ${rows} where account_id = ${caller.account.id}`;
  const given = sql`select * from jsonb_populate_recordset(null::${rows}, ${JSON.stringify(ofProvider)}::jsonb)`;
  const both = side === undefined ? sql`${own} union all ${given}` : side === 'public' ? given : own;
  return db.selectFrom(sql`(${both})`.as(table) as never) as SelectQueryBuilder<Tables, T, object>;
}

export interface OfferedQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly name?: string | undefined;
  readonly label_selector?: string | undefined;
}

/** A page of `fromOffered`. The ids of the provider's rows are slugs, so the time of creation is not in the id. */
export function readOffered<T extends OfferedTable, Row>(
  call: Pick<Call<unknown, OfferedQuery>, 'query' | 'caller' | 'services'>,
  table: T,
  endpoint: string,
  query: SelectQueryBuilder<Tables, T, Row>,
  conditions: readonly (RawBuilder<boolean> | null)[],
): Promise<Page<Row>> {
  const { name, label_selector } = call.query;
  const column = (of: string) => sql.ref(`${table}.${of}`);
  const all = [
    ...conditions,
    createdWithin(column('created_at'), call.query),
    name === undefined ? null : sql<boolean>`${name} in (${column('name')}, ${column('id')})`,
    label_selector === undefined ? null : labelsMatch(column('labels'), parseLabelSelector(label_selector)),
  ];
  const filtered = all.reduce(
    (narrowed, condition) => (condition === null ? narrowed : narrowed.where(condition)),
    query,
  );
  return readPage(call, filtered, {
    endpoint,
    id: { column: column('id'), type: 'text' },
    sorts: {
      created_at: { column: column('created_at'), type: 'timestamptz' },
      updated_at: { column: column('updated_at'), type: 'timestamptz' },
      name: { column: sql`${column('name')} collate "C"`, type: 'text' },
    },
  });
}

/** The columns of an image or ISO that could not be made. Its URL is forgotten. */
export const failedColumns = (failure: { readonly code: string; readonly detail: string }) => ({
  status: 'failed' as const,
  failure,
  failed_at: sql<Date>`now()`,
  progress_percent: null,
  sealed_url: null,
});
