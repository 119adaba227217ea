/**
 * Queries on `meter_totals` and on the entries that are not folded into them yet. Triggers write the entries in the
 * transactions that change spans and readings.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { DAY_MS, dayName, HOUR_MS, monthAt, startOfDay, startOfHour } from '../calendar.ts';
import type { Entry } from './entry.ts';

/**
 * The fold leaves bends alone that are younger than two minutes. So a total of today is right for the present, but not
 * for an earlier time of today.
 */
const LIVE_MS = 60_000;

const isMidnight = (time: number): boolean => startOfDay(time) === time;

/** The scope of all entries of an account. */
export const ACCOUNT = '';

export interface Within {
  /** Entries are read from the month of this time on. */
  readonly from: number;
  /** Bends after this time are left out. */
  readonly until: number;
  /** Carries are read until the month of this time. */
  readonly to: number;
}

export interface Wanted extends Within {
  readonly scopes: readonly string[];
}

const sums = sql`cost_slope, cost_base, quantity_slope, quantity_base, billable_slope, billable_base, due, committed`;
const names = sql`account_id, scope, kind, month, family, type, location, api_key_id, sku, unit, pace, cap_ms, ${sums}`;
const dayStart = (time: RawBuilder<unknown>) =>
  sql`date_trunc('day', ${time} at time zone 'UTC') at time zone 'UTC'`;
const dayOf = (column: RawBuilder<unknown>) => sql`(${column} at time zone 'UTC')::date`;
const times = (of: readonly number[]) => sql`${of.map((time) => new Date(time))}::timestamptz[]`;
const periodStart = sql`meter_period_start(kind, at)`;
/** The time of a sum. A cap counts from its time on, so an hour of caps counts from the end of the hour on. */
const timeOf = (start: RawBuilder<unknown>) =>
  sql`case when kind = 'cap' then ${start} + interval '1 hour' else ${start} end`;

/** Entries of a kind and a period that are read one by one. */
interface Exact {
  readonly kind: 'bend' | 'cap';
  readonly from: number;
  readonly to: number;
}

/** The days and hours within which `from` and `until` lie. Sums of today are exact for the present. */
function exactPeriods({ from, until }: Within) {
  const isLive = until >= Date.now() - LIVE_MS;
  const within = [...(isMidnight(from) ? [] : [from]), ...(isMidnight(until) || isLive ? [] : [until])];
  const days = [...new Set(within.map(startOfDay))];
  const capHours = [...new Set([from, until].map(startOfHour))].filter(
    (hour) => !days.includes(startOfDay(hour)),
  );
  const periods: Exact[] = [
    ...days.flatMap((day) =>
      (['bend', 'cap'] as const).map((kind) => ({ kind, from: day, to: day + DAY_MS })),
    ),
    ...capHours.map((hour) => ({ kind: 'cap' as const, from: hour, to: hour + HOUR_MS })),
    // Sums of bends are of the time before `until`.
    ...(days.includes(startOfDay(until)) ? [] : [{ kind: 'bend' as const, from: until, to: until + 1 }]),
  ];
  return { days: times(days), capHours: times(capHours), periods };
}

/** The conditions on the entries of an account that do not depend on where they are stored. */
function conditionsOf(accountId: string, within: Within) {
  const { from, to } = within;
  const { days, capHours, periods } = exactPeriods(within);
  const firstMonth = dayName(monthAt(from).from);
  const lastMonth = dayName(monthAt(Math.max(from, to - 1)).from);
  return {
    exact: sql`unnest(${periods.map(({ kind }) => kind)}::text[], ${times(periods.map((period) => period.from))},
      ${times(periods.map((period) => period.to))}) as exact (of_kind, starts_at, ends_at)`,
    isWithin: sql`account_id = ${accountId}
      and month <= ${lastMonth}::date and (kind = 'carry' or month >= ${firstMonth}::date)`,
    /** Whether an entry of the period that begins then is read as part of a sum. */
    isSummed: (start: RawBuilder<unknown>) => sql`case kind when 'bend' then ${start} <> all(${days})
      when 'cap' then ${start} <> all(${capHours}) and ${dayStart(start)} <> all(${days}) else true end`,
  };
}

/**
 * The entries of an account: by sums where sums are exact, and one by one in the periods within which `from` and `until`
 * lie, and at `until` itself. `offset 0` keeps PostgreSQL from joining first: it looks up one scope after the other, each by an equation, which
 * the indexes serve however many other entries the account has.
 */
export function totalsOf(accountId: string, wanted: Wanted): RawBuilder<unknown> {
  const { exact, isWithin, isSummed } = conditionsOf(accountId, wanted);
  const isWanted = sql`${isWithin} and scope = wanted.name`;
  const until = new Date(wanted.until);
  return sql`
    select entries.* from unnest(${[...wanted.scopes]}::text[]) as wanted (name), lateral (
      select ${names}, ${timeOf(sql`period_start`)} as at, known_day
      from meter_totals where ${isWanted} and ${isSummed(sql`period_start`)}
        and (kind <> 'bend' or period_start < ${until})
      union all
      select ${names}, ${timeOf(periodStart)}, ${dayOf(sql`known_at`)}
      from meter_entries where ${isWanted} and not is_folded and ${isSummed(periodStart)}
        and (kind <> 'bend' or at < ${until})
      union all
      select ${names}, at, ${dayOf(sql`known_at`)}
      from ${exact} join meter_entries on kind = of_kind and at >= starts_at and at < ends_at
      where ${isWanted} and resource_id is not null and (kind <> 'bend' or at <= ${until})
      offset 0) entries`;
}

/** The same entries with their resources and labels, one for each resource, for the whole account. */
export function detailsOf(accountId: string, within: Within): RawBuilder<unknown> {
  const { isWithin, isSummed } = conditionsOf(accountId, within);
  return sql`
    select ${names}, case when ${isSummed(periodStart)} then ${timeOf(periodStart)} else at end as at,
      ${dayOf(sql`known_at`)} as known_day, resource_id, labels
    from meter_entries where ${isWithin} and scope = ${ACCOUNT} and resource_id is not null
      and (kind <> 'bend' or at <= ${new Date(within.until)})`;
}

/** Sums arrive as text, because they may be larger than a double can represent. */
export interface StoredEntry {
  kind: Entry['kind'];
  month: string;
  at: Date;
  unit: string;
  pace: Entry['pace'];
  cap_ms: number | null;
  cost_slope: string;
  cost_base: string;
  quantity_slope: string;
  quantity_base: string;
  billable_slope: string;
  billable_base: string;
  due: string;
  committed: string;
}

export const summed = sql`
  trunc(sum(cost_slope))::text as cost_slope, trunc(sum(cost_base))::text as cost_base,
  trunc(sum(quantity_slope))::text as quantity_slope, trunc(sum(quantity_base))::text as quantity_base,
  trunc(sum(billable_slope))::text as billable_slope, trunc(sum(billable_base))::text as billable_base,
  trunc(sum(due))::text as due, trunc(sum(committed))::text as committed`;

export const readEntry = (row: StoredEntry): Entry => ({
  kind: row.kind,
  month: Date.parse(row.month),
  at: row.at.getTime(),
  unit: row.unit,
  pace: row.pace,
  capMs: row.cap_ms,
  cost: { slope: BigInt(row.cost_slope), base: BigInt(row.cost_base) },
  quantity: { slope: BigInt(row.quantity_slope), base: BigInt(row.quantity_base) },
  billable: { slope: BigInt(row.billable_slope), base: BigInt(row.billable_base) },
  due: BigInt(row.due),
  committed: BigInt(row.committed),
});

/** Adds entries to the totals, at most this many in one transaction. Returns how many. */
export async function foldEntries(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`select meter_fold(${most}) as folded`.execute(db);
  return rows[0]?.folded ?? 0;
}

/** The scopes, months and SKUs of an account whose totals differ from what its spans and readings say. */
export async function findDifferences(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ scope: string; month: string; kind: string; sku: string }>`
    select scope, month::text as month, kind, sku from meter_differences(${accountId}) order by 2, 1, 3, 4`.execute(
    db,
  );
  return rows.map(({ scope, month, kind, sku }) =>
    [month.slice(0, 7), kind, sku, scope].filter((word) => word !== '').join(' '),
  );
}

/** Computes the totals of an account again. Calls that change its resources wait until the transaction ends. */
export async function recount(db: Db, accountId: string): Promise<void> {
  await sql`select meter_recount(${accountId})`.execute(db);
}

/** In pages, ordered by id. */
export async function findMeteredAccounts(db: Db, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts a where id > ${after} and exists (select from meter_spans s where s.account_id = a.id)
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
