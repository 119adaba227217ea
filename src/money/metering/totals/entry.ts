/**
 * Entries of the meter: what resources add to the cost of their account, as lines with bends that can be added up in any
 * order (`meter_entries`, and their sums in `meter_totals`). The cost of any number of resources follows from a few sums.
 *
 * Sums are exact. They are rounded once, when they are shown.
 */
import { ONE } from '../../../kernel/micro.ts';
import { HOUR_MS, type Month } from '../calendar.ts';

/** Grows by `slope` for each millisecond; `base` is its value at the beginning of the month. */
export interface Growth {
  readonly slope: bigint;
  readonly base: bigint;
}

export interface Entry {
  /**
   * `bend`: counts from `at` on. `cap`: the same, where a resource reached its monthly price. `carry`: counts from the
   * beginning of each month from `month` on. `commitment`: only `committed` counts.
   */
  readonly kind: 'bend' | 'cap' | 'carry' | 'commitment';
  /** The first millisecond of the month. */
  readonly month: number;
  readonly at: number;
  readonly unit: string;
  readonly pace: 'hour' | 'month' | 'once' | 'metered' | '';
  /** Of a carry: after how many milliseconds of a month its monthly price (`committed`) is reached. */
  readonly capMs: number | null;
  readonly cost: Growth;
  readonly quantity: Growth;
  readonly billable: Growth;
  /** What the entry adds to the cost of the whole month. */
  readonly due: bigint;
  readonly committed: bigint;
}

const HOUR = BigInt(HOUR_MS);
const HOURLY = ONE * HOUR;
const DAY = 24n * HOUR;

/** A multiple of all divisors of costs and quantities: hours, and months of 28 to 31 days. */
export const SCALE = HOURLY * DAY * 28n * 29n * 30n * 31n;

/** The factor from the numerators of a cost to `SCALE`. */
const costFactor = ({ pace }: Entry, { ms }: Month): bigint =>
  pace === 'hour' ? SCALE / HOURLY : pace === 'month' ? SCALE / ms : SCALE;

const quantityFactor = ({ pace, unit }: Entry, { ms }: Month): bigint =>
  pace === 'once' || pace === 'metered' ? SCALE : SCALE / (unit === 'hour' ? HOUR : ms);

const grown = ({ slope, base }: Growth, ms: bigint): bigint => slope * ms + base;

/** Whether the entry counts at a time of the month. What is due at once counts from the next millisecond on. */
function counts({ kind, month, at }: Entry, { from }: Month, time: number): boolean {
  if (kind === 'carry') return month <= from;
  if (kind === 'commitment' || month !== from) return false;
  return kind === 'cap' ? at <= time : at < time;
}

function costAt(entry: Entry, month: Month, time: number): bigint {
  if (!counts(entry, month, time)) return 0n;
  const passed = time - month.from;
  const isCapped = entry.kind === 'carry' && entry.capMs !== null && passed >= entry.capMs;
  const cost = isCapped ? entry.committed * HOURLY : grown(entry.cost, BigInt(passed));
  return cost * costFactor(entry, month);
}

/** The cost of the entry within a part of the month, in 1/`SCALE` micros. */
export const costWithin = (entry: Entry, month: Month, from: number, to: number): bigint =>
  costAt(entry, month, to) - costAt(entry, month, from);

/**
 * The same to the end of the month. It includes the monthly price that a resource would have reached if it had not ended,
 * so it can also be asked of the entries that were known at an earlier time.
 */
export function costToEnd(entry: Entry, month: Month, from: number): bigint {
  const { kind, due } = entry;
  const whole =
    kind === 'carry'
      ? costAt(entry, month, month.to)
      : kind === 'bend' && entry.month === month.from && entry.pace !== 'metered'
        ? due * costFactor(entry, month)
        : 0n;
  return whole - costAt(entry, month, from);
}

export function quantityWithin(
  entry: Entry,
  month: Month,
  from: number,
  to: number,
): { readonly quantity: bigint; readonly billable: bigint } {
  const factor = quantityFactor(entry, month);
  const within = (growth: Growth): bigint => {
    const valueAt = (time: number): bigint =>
      counts(entry, month, time) ? grown(growth, BigInt(time - month.from)) : 0n;
    return (valueAt(to) - valueAt(from)) * factor;
  };
  return { quantity: within(entry.quantity), billable: within(entry.billable) };
}
