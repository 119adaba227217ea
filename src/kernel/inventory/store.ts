/**
 * The inventory: one row per resource of an account, across all families, with the columns that lists, limits and
 * prices need. Each family updates its rows in the transaction that changes the resource.
 */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { sendLater } from '../../store/send-later.ts';

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
  /** The API key that created the resource. */
  api_key_id: Generated<string | null>;
  /**
   * The part of the configuration that determines the price. It is priced again whenever prices change. `null` while
   * the resource is free of charge.
   */
  configuration: Record<string, unknown> | null;
  /** The resource type whose price rules apply, if it differs from `type`. */
  priced_as: Generated<string | null>;
  /** The contract term of the order, if the price depends on it. */
  contract_months: Generated<number>;
  /** True while the resource is stopped, for prices that differ between running and stopped. */
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

const locked = (db: Db, id: string) =>
  db.selectFrom('resources').select(['labels', 'api_key_id']).where('id', '=', id).forUpdate();

/** Locks the row, so that changes to a resource, its deletion and new prices happen one after the other. */
export async function lockResource(db: Db, id: string) {
  return locked(db, id).executeTakeFirst();
}

/** Like `lockResource`, for who does not read the row: the lock travels with the next statement. */
export async function lockResourceUnread(db: Db, id: string): Promise<void> {
  await sendLater(db, locked(db, id));
}

export type Prices = Partial<Pick<ResourcesTable, 'price_hourly_micros' | 'price_monthly_micros'>>;

/** In millionths of the currency. */
interface Amounts {
  readonly hourly: bigint;
  readonly monthly: bigint;
}

/** If the resource can no longer be priced, it keeps its last price. */
export function pricesOf(priced: Amounts | null): Prices {
  if (priced === null) return {};
  return { price_hourly_micros: Number(priced.hourly), price_monthly_micros: Number(priced.monthly) };
}

export async function notePrice(db: Db, resourceId: string, priced: Amounts): Promise<void> {
  await db.updateTable('resources').set(pricesOf(priced)).where('id', '=', resourceId).execute();
}

/** What is billed now for each of these resources, and the API key that created it. */
export async function findPrices(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, Amounts & { readonly apiKeyId: string | null }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'price_hourly_micros', 'price_monthly_micros', 'api_key_id'])
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute();
  return new Map(
    rows.map(({ id, price_hourly_micros: hourly, price_monthly_micros: monthly, api_key_id }) => [
      id,
      { hourly: BigInt(hourly ?? 0), monthly: BigInt(monthly ?? 0), apiKeyId: api_key_id },
    ]),
  );
}

/** Who pays for those of these resources that are billed: ids of free resources and of other accounts are missing. */
export async function findBilled(db: Db, accountId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { family: string; apiKeyId: string | null }>();
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'family', 'api_key_id'])
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .where('account_id', '=', accountId)
    .where('configuration', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, family, api_key_id: apiKeyId }) => [id, { family, apiKeyId }]));
}

/** The current configurations, for pricing a change to them. Ids of other accounts are missing from the result. */
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
