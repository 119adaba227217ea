import { sql } from 'kysely';
import type { Micro } from '../../../kernel/micro.ts';
import type { Db } from '../../../store/database.ts';
import type { OriginColumns } from '../store.ts';

interface MeterReadingsTable extends OriginColumns {
  sku: string;
  day: string;
  unit: string;
  read_at: Date;
  /**
   * The amounts that the reports of this day added to earlier ones. They are negative if a report corrects the
   * total downwards.
   */
  quantity_micros: bigint;
  billable_micros: bigint;
  cost_micros: bigint;
}

declare module '../../../store/database.ts' {
  interface Tables {
    meter_readings: MeterReadingsTable;
  }
}

/** Reads the newest span, because the resource may already be deleted when its last traffic is reported. */
export async function findOrigin(db: Db, resourceId: string): Promise<OriginColumns | undefined> {
  return db
    .selectFrom('meter_spans')
    .select(['account_id', 'resource_id', 'family', 'type', 'location', 'labels', 'api_key_id'])
    .where('resource_id', '=', resourceId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns the totals reported so far; `month` is the first day of the month. An advisory lock serializes the
 * reports of one resource and SKU.
 */
export async function lockMonth(
  db: Db,
  resourceId: string,
  sku: string,
  month: string,
): Promise<{ quantity: Micro; billable: Micro }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${resourceId} ${sku}`}, 0))`.execute(db);
  const { rows } = await sql<{ quantity: string; billable: string }>`
    select coalesce(sum(quantity_micros), 0)::text as quantity, coalesce(sum(billable_micros), 0)::text as billable
    from meter_readings
    where resource_id = ${resourceId} and sku = ${sku} and day >= ${month}::date
      and day < ${month}::date + interval '1 month'`.execute(db);
  return { quantity: BigInt(rows[0]?.quantity ?? 0), billable: BigInt(rows[0]?.billable ?? 0) };
}

interface Added {
  readonly sku: string;
  readonly day: string;
  readonly unit: string;
  readonly readAt: Date;
  readonly quantity: Micro;
  readonly billable: Micro;
  readonly cost: Micro;
}

export async function addToDay(db: Db, origin: OriginColumns, added: Added): Promise<void> {
  const { sku, day, unit, readAt, quantity, billable, cost } = added;
  await db
    .insertInto('meter_readings')
    .values({
      ...origin,
      sku,
      day,
      unit,
      read_at: readAt,
      quantity_micros: quantity,
      billable_micros: billable,
      cost_micros: cost,
    })
    .onConflict((conflict) =>
      conflict.columns(['resource_id', 'sku', 'day']).doUpdateSet({
        quantity_micros: sql`meter_readings.quantity_micros + excluded.quantity_micros`,
        billable_micros: sql`meter_readings.billable_micros + excluded.billable_micros`,
        cost_micros: sql`meter_readings.cost_micros + excluded.cost_micros`,
      }),
    )
    .execute();
}
