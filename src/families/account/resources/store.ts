import { type Generated, type Insertable, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { Selector } from '../../../kernel/pages/label-selector.ts';
import { labelsMatch, readPage, type SortKey } from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';

interface ResourcesTable {
  id: string;
  account_id: string;
  family: string;
  type: string;
  name: string;
  status: string;
  location: string | null;
  labels: Generated<Record<string, string>>;
  parent_id: string | null;
  /** The price-bearing part of what was asked for: what the price function prices. */
  configuration: Record<string, unknown> | null;
  price_hourly_micros: number | null;
  price_monthly_micros: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    resources: ResourcesTable;
  }
}

interface ResourcesQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly location?: string;
  readonly status?: string;
  readonly name?: string;
  readonly ids?: string[];
  readonly created_after?: string;
  readonly created_before?: string;
}

const id: SortKey = { column: sql.ref('resources.id'), type: 'text' };
const sorts: Record<string, SortKey> = {
  created_at: { column: sql.ref('resources.created_at'), type: 'timestamptz' },
  name: { column: sql`resources.name collate "C"`, type: 'text' },
  type: { column: sql.ref('resources.type'), type: 'text' },
  'price.monthly': { column: sql`coalesce(resources.price_monthly_micros, 0)`, type: 'bigint' },
};

export async function readResources(
  call: Call<unknown, ResourcesQuery>,
  types: string[],
  selector: Selector,
) {
  const { location, status, name, ids, created_after, created_before } = call.query;
  let query = call.db
    .selectFrom('resources')
    .selectAll()
    .where('account_id', '=', call.caller.account.id)
    .where(sql<boolean>`type = any(${types}::text[])`);
  if (location !== undefined) query = query.where('location', '=', location);
  if (status !== undefined) query = query.where('status', '=', status);
  if (name !== undefined) query = query.where('name', '=', name);
  if (ids !== undefined) query = query.where(sql<boolean>`id = any(${ids}::text[])`);
  if (created_after !== undefined) query = query.where('created_at', '>=', new Date(created_after));
  if (created_before !== undefined) query = query.where('created_at', '<', new Date(created_before));
  if (selector.length > 0) query = query.where(labelsMatch(sql.ref('resources.labels'), selector));
  return readPage(call, query, { endpoint: 'listResources', id, sorts });
}

/** For the families: keeps the inventory in step with a resource, in the transaction that changed it. */
export async function noteResource(db: Db, resource: Insertable<Tables['resources']>): Promise<void> {
  const { id: _, account_id: __, ...changed } = resource;
  await db
    .insertInto('resources')
    .values(resource)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...changed, updated_at: sql`now()` }))
    .execute();
}

export async function forgetResource(db: Db, resourceId: string): Promise<void> {
  await db.deleteFrom('resources').where('id', '=', resourceId).execute();
}

/** What exists and what it was asked to be, for pricing a change to it. Foreign ids are simply not there. */
export async function findConfigurations(db: Db, accountId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'type', 'configuration'])
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('account_id', '=', accountId)
    .execute();
  return new Map(
    rows.map(({ id, type, configuration }) => [
      id,
      { resource_type: type, configuration: configuration ?? {} },
    ]),
  );
}
