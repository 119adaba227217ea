import { LONGEST_PERIOD } from '../../../../src/money/metering/longest-period.ts';

/** The periods that people ask for, in UTC as the meter counts. */

export interface Period {
  readonly from: string;
  readonly to: string;
}

const DAY = 86_400_000;
const monthStart = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
const dayStart = (at: number): Date => new Date(Math.floor(at / DAY) * DAY);

export const periodNames = {
  month: 'This month',
  last: 'Last month',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  own: 'Own dates',
} as const;
export type PeriodName = keyof typeof periodNames;

export const isPeriodName = (name: string | undefined): name is PeriodName =>
  name !== undefined && Object.hasOwn(periodNames, name);

export function periodOf(name: Exclude<PeriodName, 'own'>, now = new Date()): Period {
  const bounds: Readonly<Record<typeof name, readonly [Date, Date]>> = {
    month: [monthStart(now, 0), monthStart(now, 1)],
    last: [monthStart(now, -1), monthStart(now, 0)],
    '30d': [dayStart(now.getTime() - 29 * DAY), dayStart(now.getTime() + DAY)],
    '90d': [dayStart(now.getTime() - 89 * DAY), dayStart(now.getTime() + DAY)],
  };
  const [from, to] = bounds[name];
  return { from: from.toISOString(), to: to.toISOString() };
}

/** The first and the last day of a period, as fields for dates have them. */
export interface OwnDates {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const startOf = (day: string | undefined): number => Date.parse(`${day}T00:00:00Z`);

/** Why there is no such period; browsers give half a year that is being typed, too. */
export function whyNoPeriod({ from, until }: OwnDates): string | undefined {
  const days = (startOf(until) - startOf(from)) / DAY + 1;
  if (Number.isNaN(days)) return 'Choose the first and the last day.';
  if (days < 1) return 'The last day is before the first.';
  return days > LONGEST_PERIOD ? `At most ${LONGEST_PERIOD} days can be shown at once.` : undefined;
}

export const ownPeriod = ({ from, until }: OwnDates): Period => ({
  from: new Date(startOf(from)).toISOString(),
  to: new Date(startOf(until) + DAY).toISOString(),
});

/** The days that the other one leaves possible. */
export const boundsOf = ({ from, until }: OwnDates) => ({
  from: { min: until && dayOf(startOf(until) - (LONGEST_PERIOD - 1) * DAY), max: until },
  until: { min: from, max: from && dayOf(startOf(from) + (LONGEST_PERIOD - 1) * DAY) },
});

/** What own dates begin with: the month so far. */
export const monthSoFar = (now = new Date()): OwnDates => ({
  from: dayOf(monthStart(now, 0).getTime()),
  until: dayOf(now.getTime()),
});

/** From the first to the last day that has begun. */
export function daysOf({ from, to }: Period, now = Date.now()): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at < Math.min(Date.parse(to), now); at += DAY)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

const long = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const placeOf = (day: string) => ({
  name: long.format(new Date(day)),
  short: short.format(new Date(day)),
});
export const saidPeriod = ({ from, to }: Period): string =>
  `${long.format(new Date(from))} to ${long.format(Date.parse(to) - 1)}`;
