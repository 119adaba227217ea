/** Updates the inventory and the meter in the same transaction that changes a resource. */
import { type Insertable, sql } from 'kysely';
import { lockResource, lockResourceUnread, type Prices, pricesOf } from '../../kernel/inventory/store.ts';
import { follow, followChange, type Pricing, unfollow } from '../../money/metering/meter-spans.ts';
import type { PricedItem } from '../../money/prices/price.ts';
import type { Db, Tables } from '../../store/database.ts';
import { insertRow } from '../../store/kept-text.ts';
import { sendLater } from '../../store/send-later.ts';

type Kept = 'configuration' | 'price_hourly_micros' | 'price_monthly_micros' | 'created_at' | 'updated_at';
type Note = Omit<Insertable<Tables['resources']>, Kept>;

interface NoteOptions {
  /** The time of the creation, change or deletion; default: now. */
  readonly at?: Date;
  /** This transaction inserted the resource, so it has no inventory entry and no meter yet. */
  readonly isNew?: boolean;
}

/** Without `configuration`: the configuration did not change. With `null`: the resource is not billable. */
export type PlainNote = Note & { readonly configuration?: null };
export type PricedNote = Note & { readonly configuration: Record<string, unknown> };

/**
 * Records a resource that was created or changed. With a configuration, the price function prices the resource
 * and the meter bills it from now on, in the same transaction. Returns the price, which the call reports as its
 * cost.
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
  const { at = new Date(), isNew = false, tariff, references } = options;
  const { name, location = null, configuration } = note;
  let price: Prices = {};
  let priced: PricedItem | null = null;
  if (configuration === undefined) {
    if (!isNew) await lockResourceUnread(db, note.id);
    await followChange(db, note.id, { name, location, labels: note.labels }, at);
  } else if (configuration === null) {
    if (!isNew) {
      await lockResourceUnread(db, note.id);
      await unfollow(db, note.id, at);
    }
    price = { price_hourly_micros: null, price_monthly_micros: null };
  } else {
    if (tariff === undefined) throw new Error(`Without a tariff ${note.id} has no price.`);
    const before = isNew ? undefined : await lockResource(db, note.id);
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
    priced = await follow(db, next, at, { tariff, references, isNew });
    price = pricesOf(priced);
  }
  await sendLater(db, isNew ? insertRow('resources', { ...note, ...price }) : written(db, note, price));
  return priced;
}

function written(db: Db, note: PlainNote | PricedNote, price: Prices) {
  const { id: _, account_id: __, api_key_id: ___, ...changed } = note;
  return db
    .insertInto('resources')
    .values({ ...note, ...price })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...changed, ...price, updated_at: sql`now()` }),
    );
}

export async function forgetResource(
  db: Db,
  resourceId: string,
  { at = new Date() }: NoteOptions = {},
): Promise<void> {
  await lockResourceUnread(db, resourceId);
  await unfollow(db, resourceId, at);
  await db.deleteFrom('resources').where('id', '=', resourceId).execute();
}
