/**
 * What the account owns, across all families, as far as lists, limits and prices need it. Each family keeps its rows
 * in step in the transaction that changes the resource; nobody but the families writes here.
 */
import { type Generated, type Insertable, sql } from 'kysely';
import type { Db, Tables } from '../../store/database.ts';

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

declare module '../../store/database.ts' {
  interface Tables {
    resources: ResourcesTable;
  }
}

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
