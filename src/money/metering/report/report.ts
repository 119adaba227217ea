/**
 * The usage report of a period, from the sums of the meter: costs, quantities and a forecast. Costs are exact; each
 * number is rounded once, so that the groups of a report add up to its total.
 */
import { setImmediate } from 'node:timers/promises';
import { divide, type Micro, sum } from '../../../kernel/micro.ts';
import type { Db } from '../../../store/database.ts';
import { DAY_MS, dayName, type Month, monthAt, type Period, startOfDay } from '../calendar.ts';
import { atThisPace, type Confidence, confidenceOf } from '../spent.ts';
import { costToEnd, costWithin, quantityWithin, SCALE } from '../totals/entry.ts';
import { type Grouping, isByDay, type Usage, type UsageGroup, type UsageKey } from '../usage.ts';
import { type Asked, type ReportEntry, readGroups, readTotals } from './store.ts';

/** The part of a period within one month, or one day of it. */
interface Stretch {
  readonly month: Month;
  readonly from: number;
  readonly to: number;
}

function* monthsOf(from: number, to: number): Generator<Stretch> {
  for (let at = from; at < to; ) {
    const month = monthAt(at);
    const end = Math.min(to, month.to);
    yield { month, from: at, to: end };
    at = end;
  }
}

function* daysOf({ month, from, to }: Stretch): Generator<Stretch> {
  for (let at = from; at < to; ) {
    const end = Math.min(to, startOfDay(at) + DAY_MS);
    yield { month, from: at, to: end };
    at = end;
  }
}

interface Line {
  readonly sku: string;
  readonly unit: string;
  quantity: bigint;
  billable: bigint;
  /** A price that is due at once is listed even if nothing is left to pay. */
  isOnce: boolean;
}

interface Tally {
  readonly key: UsageKey;
  readonly quantities: Map<string, Line>;
  cost: bigint;
}

/** Entries that cancel each other out leave nothing: the resource was not there in the period. */
const isUsed = ({ quantity, billable, isOnce }: Line): boolean =>
  isOnce || quantity !== 0n || billable !== 0n;

/** After this many sums the loop yields to the event loop: a year by day takes a while. */
const TURN = 10_000;

class Tallies {
  readonly #byName = new Map<string, Tally>();
  #seen = 0;

  async add(
    entries: readonly ReportEntry[],
    { month, from, to }: Stretch,
    day: UsageKey = {},
  ): Promise<void> {
    for (const entry of entries) {
      if (++this.#seen % TURN === 0) await setImmediate();
      if (entry.kind !== 'carry' && entry.month !== month.from) continue;
      const cost = costWithin(entry, month, from, to);
      const { quantity, billable } = quantityWithin(entry, month, from, to);
      const isOnce = entry.pace === 'once' && entry.at >= from && entry.at < to;
      if (cost === 0n && quantity === 0n && billable === 0n && !isOnce) continue;
      const tally = this.#of({ ...entry.key, ...day });
      tally.cost += cost;
      const name = `${entry.sku} ${entry.unit}`;
      const { sku, unit } = entry;
      const known = tally.quantities.get(name) ?? { sku, unit, quantity: 0n, billable: 0n, isOnce: false };
      known.quantity += quantity;
      known.billable += billable;
      known.isOnce ||= isOnce;
      tally.quantities.set(name, known);
    }
  }

  #of(key: UsageKey): Tally {
    const name = JSON.stringify(key);
    const tally = this.#byName.get(name) ?? { key, quantities: new Map(), cost: 0n };
    this.#byName.set(name, tally);
    return tally;
  }

  /**
   * Rounds the costs so that they add up: each group gets the difference between the rounded sums with and without it.
   * `before` is the exact sum of the groups on earlier pages.
   */
  groups(before: bigint): { readonly groups: UsageGroup[]; readonly after: bigint } {
    const names = [...this.#byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
    let after = before;
    const used = names.filter(([, { quantities }]) => [...quantities.values()].some(isUsed));
    const groups = used.map(([, { key, quantities, cost }]) => {
      const start = divide(after, SCALE);
      after += cost;
      const sorted = [...quantities.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
      const lines = sorted.map(([, line]) => line).filter(isUsed);
      const shown = lines.map(({ sku, unit, quantity, billable }) => ({
        sku,
        unit,
        quantity: divide(quantity, SCALE),
        billable: divide(billable, SCALE),
      }));
      return { key, quantities: shown, cost: divide(after, SCALE) - start };
    });
    return { groups, after };
  }
}

const isMetered = ({ pace }: ReportEntry): boolean => pace === 'metered';

function costsWithin(entries: readonly ReportEntry[], from: number, to: number): Micro {
  let total = 0n;
  for (const { month, ...stretch } of monthsOf(from, to))
    total += sum(entries.map((entry) => costWithin(entry, month, stretch.from, stretch.to)));
  return divide(total, SCALE);
}

/** The cost of the period if what was known at `now` goes on until its end. */
function runRate(entries: readonly ReportEntry[], period: Period, now: number): Micro {
  const [from, to] = [period.from.getTime(), period.to.getTime()];
  let fixed = 0n;
  for (const { month, ...stretch } of monthsOf(from, to)) {
    const cost = (entry: ReportEntry): bigint =>
      stretch.to === month.to
        ? costToEnd(entry, month, stretch.from)
        : costWithin(entry, month, stretch.from, stretch.to);
    fixed += sum(entries.filter((entry) => !isMetered(entry)).map(cost));
  }
  const metered = costsWithin(entries.filter(isMetered), from, Math.min(to, now));
  return divide(fixed, SCALE) + atThisPace(metered, period, now);
}

export interface ReportPage {
  readonly limit: number;
  /** Where the page before ended: the exact sum of its groups, and its last group. */
  readonly after: readonly string[] | null;
}

export interface Report extends Usage {
  readonly forecast: Micro;
  readonly confidence: Confidence;
  /** Where this page ends, if there are more groups. */
  readonly end: readonly string[] | null;
}

export async function reportUsage(
  db: Db,
  accountId: string,
  period: Period,
  grouping: Grouping,
  { limit, after }: ReportPage,
  now: Date,
): Promise<Report> {
  const [from, to, at] = [period.from.getTime(), period.to.getTime(), now.getTime()];
  const until = Math.min(to, at);
  const early = from + Math.floor((at - from) / 2);
  const asked: Asked = { from, until: Math.max(from, until), to, early };
  const { by } = grouping;
  const isPaged = by === 'resource' || by === 'label';
  const totals = await readTotals(db, accountId, asked, isPaged || by === 'day' ? 'none' : by);
  const [prefix = '0', ...last] = after ?? [];
  const page = { limit, after: after === null ? null : last };
  const paged = isPaged
    ? await readGroups(db, accountId, asked, grouping, page)
    : { entries: totals, last: null };
  const tallies = new Tallies();
  for (const month of monthsOf(from, until)) {
    if (!isByDay(grouping)) await tallies.add(paged.entries, month);
    else for (const day of daysOf(month)) await tallies.add(paged.entries, day, { day: dayName(day.from) });
  }
  const { groups, after: sumAfter } = tallies.groups(BigInt(prefix));
  const metered = costsWithin(totals.filter(isMetered), from, until);
  const fixed = costsWithin(
    totals.filter((entry) => !isMetered(entry)),
    from,
    until,
  );
  const total = runRate(totals, period, at);
  const known = totals.filter(({ isEarly }) => isEarly);
  return {
    fixed,
    metered,
    groups,
    forecast: total,
    confidence: confidenceOf((at - from) / (to - from), total, () => runRate(known, period, early)),
    end: paged.last === null ? null : [`${sumAfter}`, ...paged.last],
  };
}
