/**
 * Queries on the table `meter_spans`. The inventory and repricing write spans; `readings/` writes the meter
 * readings.
 */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { sendLater } from '../../store/send-later.ts';
import { monthAt, type Period } from './calendar.ts';
import { type MeterLine, readLines, type StoredLine, writeLines } from './line.ts';
import type { SpendingScope } from './scope.ts';
import type { Ledger, Origin, Reading, Span } from './span.ts';

export interface OriginColumns {
  account_id: string;
  resource_id: string;
  family: string;
  type: string;
  location: string | null;
  labels: Record<string, string>;
  api_key_id: string | null;
}

interface MeterSpansTable extends OriginColumns {
  id: Generated<number>;
  name: string;
  /** The resource type whose price rules apply. */
  priced_as: string;
  contract_months: number;
  is_stopped: boolean;
  configuration: Record<string, unknown>;
  lines: StoredLine[];
  /** The time whose prices the lines contain. */
  priced_at: Date;
  started_at: Date;
  ended_at: Date | null;
}

declare module '../../store/database.ts' {
  interface Tables {
    meter_spans: MeterSpansTable;
  }
}

export interface OpenSpan {
  readonly id: number;
  readonly accountId: string;
  readonly resourceId: string;
  readonly family: string;
  readonly type: string;
  readonly name: string;
  readonly location: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly apiKeyId: string | null;
  readonly pricedAs: string;
  readonly contractMonths: number;
  readonly isStopped: boolean;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly lines: readonly MeterLine[];
  readonly pricedAt: Date;
  readonly startedAt: Date;
}

type Assumed = 'pricedAt' | 'contractMonths' | 'isStopped';

/** Defaults: priced at its start, one contract month, not stopped. */
export type NewSpan = Omit<OpenSpan, 'id' | Assumed> & Partial<Pick<OpenSpan, Assumed>>;

const openColumns = [
  'id',
  'account_id as accountId',
  'resource_id as resourceId',
  'family',
  'type',
  'name',
  'location',
  'labels',
  'api_key_id as apiKeyId',
  'priced_as as pricedAs',
  'contract_months as contractMonths',
  'is_stopped as isStopped',
  'configuration',
  'lines',
  'priced_at as pricedAt',
  'started_at as startedAt',
] as const;

/** Callers must hold the lock on the resource's row. */
export async function findOpenSpan(db: Db, resourceId: string): Promise<OpenSpan | undefined> {
  const row = await db
    .selectFrom('meter_spans')
    .select(openColumns)
    .where('resource_id', '=', resourceId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && { ...row, lines: readLines(row.lines) };
}

/** Returns the open span, or else the one that ended last. Callers must hold the lock on the resource's row. */
export async function findLastSpan(
  db: Db,
  resourceId: string,
): Promise<{ readonly span: OpenSpan; readonly isOpen: boolean } | undefined> {
  const row = await db
    .selectFrom('meter_spans')
    .select(openColumns)
    .select(sql<boolean>`ended_at is null`.as('isOpen'))
    .where('resource_id', '=', resourceId)
    .orderBy(sql`ended_at desc nulls first`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { isOpen, lines, ...span } = row;
  return { span: { ...span, lines: readLines(lines) }, isOpen };
}

export interface PastSpan extends OpenSpan {
  readonly endedAt: Date;
}

/** Open spans of all accounts, ordered by id. */
export async function listOpenSpans(db: Db, after: number, limit: number): Promise<OpenSpan[]> {
  const rows = await db
    .selectFrom('meter_spans')
    .select(openColumns)
    .where('ended_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, lines: readLines(row.lines) }));
}

/** Ended spans that lasted beyond `moment` with a price from before it. */
export async function listSpansAround(
  db: Db,
  moment: Date,
  after: number,
  limit: number,
): Promise<PastSpan[]> {
  const rows = await db
    .selectFrom('meter_spans')
    .select(openColumns)
    .select(sql<Date>`ended_at`.as('endedAt'))
    .where('ended_at', '>', moment)
    .where('priced_at', '<', moment)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, lines: readLines(row.lines) }));
}

/** Moves the end of an ended span to `at`. Of several concurrent attempts only one returns `true`. */
export async function shortenSpan(db: Db, { id, endedAt }: PastSpan, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('meter_spans')
    .set({ ended_at: at })
    .where('id', '=', id)
    .where('ended_at', '=', endedAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function endSpan(db: Db, id: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await ended(db, at).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

const ended = (db: Db, at: Date) =>
  db
    .updateTable('meter_spans')
    .set({ ended_at: sql<Date>`greatest(started_at, ${at}::timestamptz)` })
    .where('ended_at', 'is', null);

/** Ends the open span of the resource, if it has one. */
export async function endOpenSpan(db: Db, resourceId: string, at: Date): Promise<void> {
  await sendLater(db, ended(db, at).where('resource_id', '=', resourceId));
}

export async function addSpan(db: Db, span: NewSpan, endedAt: Date | null = null): Promise<OpenSpan> {
  const { pricedAt = span.startedAt, contractMonths = 1, isStopped = false } = span;
  const { id } = await db
    .insertInto('meter_spans')
    .values({
      account_id: span.accountId,
      resource_id: span.resourceId,
      family: span.family,
      type: span.type,
      name: span.name,
      location: span.location,
      labels: span.labels,
      api_key_id: span.apiKeyId,
      priced_as: span.pricedAs,
      contract_months: contractMonths,
      is_stopped: isStopped,
      configuration: span.configuration,
      lines: sql`${JSON.stringify(writeLines(span.lines))}::jsonb`,
      priced_at: pricedAt,
      started_at: span.startedAt,
      ended_at: endedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...span, id, pricedAt, contractMonths, isStopped };
}

/** For changes that affect neither the cost nor its grouping. */
export async function amendSpan(
  db: Db,
  id: number,
  span: Omit<NewSpan, 'lines' | 'startedAt'>,
): Promise<void> {
  const { name, pricedAs, configuration, contractMonths = 1, isStopped = false } = span;
  await db
    .updateTable('meter_spans')
    .set({
      name,
      priced_as: pricedAs,
      configuration,
      contract_months: contractMonths,
      is_stopped: isStopped,
    })
    .where('id', '=', id)
    .execute();
}

type LedgerRow = Pick<
  MeterSpansTable,
  'resource_id' | 'family' | 'type' | 'location' | 'labels' | 'api_key_id'
> & {
  lines: StoredLine[] | null;
  started_at: Date;
  ended_at: Date | null;
  reading: { sku: string; unit: string; quantity: string; billable: string; cost: string } | null;
};

function originOf({ resource_id, family, type, location, labels, api_key_id }: LedgerRow): Origin {
  return { resourceId: resource_id, family, type, location, labels, apiKeyId: api_key_id };
}

/**
 * Spans start at the beginning of the first month, because the monthly cap of a SKU depends on its cost earlier in that
 * month.
 */
function ledgerRows(accountId: string, { from, to }: Period, { families, apiKeyIds }: SpendingScope) {
  const start = new Date(monthAt(from.getTime()).from);
  const narrowed = sql`
    ${families === undefined ? sql`true` : sql`family = any(${families}::text[])`}
    and ${apiKeyIds === undefined ? sql`true` : sql`api_key_id = any(${apiKeyIds}::text[])`}`;
  return sql<LedgerRow>`
    select resource_id, family, type, location, labels, api_key_id, lines, started_at, ended_at, null::jsonb as reading, id
    from meter_spans
    where account_id = ${accountId} and started_at < ${to} and (ended_at is null or ended_at >= ${start}) and ${narrowed}
    union all
    select resource_id, family, type, location, labels, api_key_id, null, read_at, null, jsonb_build_object('sku', sku,
      'unit', unit, 'quantity', quantity_micros::text, 'billable', billable_micros::text, 'cost', cost_micros::text), 0
    from meter_readings
    where account_id = ${accountId} and read_at >= ${from} and read_at < ${to} and ${narrowed}
    order by resource_id, started_at, id`;
}

function ledgerOf(rows: readonly LedgerRow[]): Ledger {
  const spans: Span[] = [];
  const readings: Reading[] = [];
  for (const row of rows) {
    const startedAt = row.started_at.getTime();
    if (row.reading !== null) {
      const { sku, unit, quantity, billable, cost } = row.reading;
      const amounts = { quantity: BigInt(quantity), billable: BigInt(billable), cost: BigInt(cost) };
      readings.push({ ...originOf(row), sku, unit, readAt: startedAt, ...amounts });
    } else {
      const lines = readLines(row.lines ?? []);
      spans.push({ ...originOf(row), lines, startedAt, endedAt: row.ended_at?.getTime() ?? null });
    }
  }
  return { spans, readings };
}

/** Reads spans and readings in one query. */
export async function readLedger(
  db: Db,
  accountId: string,
  period: Period,
  scope: SpendingScope = {},
): Promise<Ledger> {
  return ledgerOf((await ledgerRows(accountId, period, scope).execute(db)).rows);
}
