/**
 * What the account owns, across all families, as far as lists, limits and prices need it. Each family keeps its rows
 * in step in the transaction that changes the resource; nobody but the families writes here.
 */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';

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
  /** The key that created it. */
  api_key_id: Generated<string | null>;
  /**
   * The price-bearing part of what it is: what the price function prices, again whenever prices change. `null` while
   * nothing is to be paid for it.
   */
  configuration: Record<string, unknown> | null;
  /** The type by whose rules it is priced, where that is not its own. */
  priced_as: Generated<string | null>;
  /** The term it was ordered for, where its price follows from that. */
  contract_months: Generated<number>;
  /** It exists but does not run, for prices that make a difference between the two. */
  is_stopped: Generated<boolean>;
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

/** Locks the row: changes to one resource, its deletion and new prices happen one after the other. */
export async function lockResource(db: Db, id: string) {
  return db
    .selectFrom('resources')
    .select(['labels', 'api_key_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export type Prices = Partial<Pick<ResourcesTable, 'price_hourly_micros' | 'price_monthly_micros'>>;

/** In micros of the currency. */
interface Amounts {
  readonly hourly: bigint;
  readonly monthly: bigint;
}

/** A resource that has lost its price keeps the one it had. */
export function pricesOf(priced: Amounts | null): Prices {
  if (priced === null) return {};
  return { price_hourly_micros: Number(priced.hourly), price_monthly_micros: Number(priced.monthly) };
}

/** After a change of prices. */
export async function notePrice(db: Db, resourceId: string, priced: Amounts): Promise<void> {
  await db.updateTable('resources').set(pricesOf(priced)).where('id', '=', resourceId).execute();
}

/** What exists and what it was asked to be, for pricing a change to it. Foreign ids are simply not there. */
export async function findConfigurations(db: Db, accountId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'type', 'priced_as', 'configuration', 'labels'])
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('account_id', '=', accountId)
    .execute();
  return new Map(
    rows.map(({ id, type, priced_as, configuration, labels }) => [
      id,
      { resource_type: priced_as ?? type, configuration: configuration ?? {}, labels },
    ]),
  );
}
