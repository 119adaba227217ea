/**
 * What the account owns, across all families, as far as lists, limits and prices need it. Each family keeps its rows
 * in step in the transaction that changes the resource; nobody but the families writes here.
 */
import { type Generated, type Insertable, sql } from 'kysely';
import { follow, followChange, type Pricing, unfollow } from '../../money/metering/meter-spans.ts';
import type { PricedItem } from '../../money/prices/price.ts';
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

type Kept = 'configuration' | 'price_hourly_micros' | 'price_monthly_micros' | 'created_at' | 'updated_at';
type Note = Omit<Insertable<Tables['resources']>, Kept>;

interface NoteOptions {
  /** When it came, changed or went; now, if left out. */
  readonly at?: Date;
}

/** What it is did not change, or is nothing to pay for (`null`). */
export type PlainNote = Note & { readonly configuration?: null };
export type PricedNote = Note & { readonly configuration: Record<string, unknown> };

/** Locks the row: changes to one resource, its deletion and new prices happen one after the other. */
export async function lockResource(db: Db, id: string) {
  return db
    .selectFrom('resources')
    .select(['labels', 'api_key_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * A resource that came or changed. Given what it is made of, it is priced by the one price function, and the meter runs
 * accordingly from here on, in the same transaction. Answers what it costs, for the cost of the call.
 */
export async function noteResource(db: Db, note: PlainNote, options?: NoteOptions): Promise<null>;
export async function noteResource(
  db: Db,
  note: PricedNote,
  options: NoteOptions & Pricing,
): Promise<PricedItem | null>;
export async function noteResource(
  db: Db,
  note: PlainNote | PricedNote,
  options: NoteOptions & Partial<Pricing> = {},
): Promise<PricedItem | null> {
  const { at = new Date(), catalogue, references } = options;
  const { name, location = null, configuration } = note;
  const before = await lockResource(db, note.id);
  let price: Prices = {};
  let priced: PricedItem | null = null;
  if (configuration === undefined) {
    await followChange(db, note.id, { name, location, labels: note.labels }, at);
  } else if (configuration === null) {
    await unfollow(db, note.id, at);
    price = { price_hourly_micros: null, price_monthly_micros: null };
  } else {
    if (catalogue === undefined) throw new Error(`Without a catalogue ${note.id} has no price.`);
    const next = {
      accountId: note.account_id,
      resourceId: note.id,
      family: note.family,
      type: note.type,
      name,
      location,
      labels: note.labels ?? before?.labels ?? {},
      apiKeyId: before === undefined ? (note.api_key_id ?? null) : before.api_key_id,
      pricedAs: note.priced_as ?? note.type,
      contractMonths: note.contract_months ?? 1,
      isStopped: note.is_stopped ?? false,
      configuration,
    };
    priced = await follow(db, next, at, { catalogue, references });
    price = pricesOf(priced);
  }
  const { id: _, account_id: __, api_key_id: ___, ...changed } = note;
  await db
    .insertInto('resources')
    .values({ ...note, ...price })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...changed, ...price, updated_at: sql`now()` }),
    )
    .execute();
  return priced;
}

type Prices = Partial<Pick<ResourcesTable, 'price_hourly_micros' | 'price_monthly_micros'>>;

/** What has lost its price keeps the one it had. */
function pricesOf(priced: Pick<PricedItem, 'hourly' | 'monthly'> | null): Prices {
  if (priced === null) return {};
  return { price_hourly_micros: Number(priced.hourly), price_monthly_micros: Number(priced.monthly) };
}

/** After a change of prices. */
export async function notePrice(db: Db, resourceId: string, priced: PricedItem): Promise<void> {
  await db.updateTable('resources').set(pricesOf(priced)).where('id', '=', resourceId).execute();
}

export async function forgetResource(
  db: Db,
  resourceId: string,
  { at = new Date() }: NoteOptions = {},
): Promise<void> {
  await lockResource(db, resourceId);
  await unfollow(db, resourceId, at);
  await db.deleteFrom('resources').where('id', '=', resourceId).execute();
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
