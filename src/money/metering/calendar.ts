/** Months and days in UTC, in milliseconds. Time zones and summer time play no role in metering. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Half-open interval: `to` is excluded. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export interface Month {
  readonly from: number;
  readonly to: number;
  /** The length of the month in milliseconds. */
  readonly ms: bigint;
}

/** Cache: grouping a year by day looks up the same few months many times. */
const months = new Map<number, Month>();
const MOST_MONTHS = 1000;

export function monthAt(time: number): Month {
  const at = new Date(time);
  const number = at.getUTCFullYear() * 12 + at.getUTCMonth();
  const known = months.get(number);
  if (known !== undefined) return known;
  const from = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const to = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  const month = { from, to, ms: BigInt(to - from) };
  if (months.size >= MOST_MONTHS) months.clear();
  months.set(number, month);
  return month;
}

export function monthOf(at: Date): Period {
  const { from, to } = monthAt(at.getTime());
  return { from: new Date(from), to: new Date(to) };
}

const startOf = (ms: number, time: number): number => time - (((time % ms) + ms) % ms);
export const startOfHour = (time: number): number => startOf(HOUR_MS, time);
export const startOfDay = (time: number): number => startOf(DAY_MS, time);

export const earlierOf = (a: Date, b: Date): Date => (b.getTime() < a.getTime() ? b : a);
export const laterOf = (a: Date, b: Date): Date => (a.getTime() < b.getTime() ? b : a);

/** Formats a time as `2026-03-01`. */
export const dayName = (time: number): string => new Date(time).toISOString().slice(0, 10);
