/** When the windows of a schedule begin. All times are UTC. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export interface BackupSchedule {
  readonly frequency: 'every_n_hours' | 'daily' | 'weekly' | 'monthly';
  readonly every_hours: 4 | 6 | 8 | 12 | null;
  readonly hour: number;
  readonly weekday: (typeof weekdays)[number] | null;
  readonly day_of_month: number | null;
  readonly window_hours: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Two monthly windows are at most 31 days apart. */
const MOST_DAYS = 32;

/** The hours of a day at which windows begin. */
function hoursOf({ frequency, every_hours, hour }: BackupSchedule): number[] {
  if (frequency !== 'every_n_hours' || every_hours === null) return [hour];
  const count = 24 / every_hours;
  return Array.from({ length: count }, (_, i) => (hour % every_hours) + i * every_hours);
}

function isDayOf({ frequency, weekday, day_of_month }: BackupSchedule, day: Date): boolean {
  if (frequency === 'weekly') return weekdays[(day.getUTCDay() + 6) % 7] === weekday;
  if (frequency === 'monthly') return day.getUTCDate() === day_of_month;
  return true;
}

/** The first window that begins after this time. */
export function nextWindow(schedule: BackupSchedule, after: Date): Date {
  const midnight = Math.floor(after.getTime() / DAY_MS) * DAY_MS;
  const hours = hoursOf(schedule);
  for (let days = 0; days <= MOST_DAYS; days++) {
    const day = midnight + days * DAY_MS;
    if (!isDayOf(schedule, new Date(day))) continue;
    const start = hours.map((hour) => day + hour * HOUR_MS).find((time) => time > after.getTime());
    if (start !== undefined) return new Date(start);
  }
  throw new Error('The schedule has no windows.');
}

/** The columns that say when the policy runs next. */
export function nextRun(schedule: BackupSchedule, after: Date) {
  const next = nextWindow(schedule, after);
  // A clock that is set back a little makes the last window the next one again: it has been served. So only a clock
  // that skips two windows backwards is noticed.
  const period = nextWindow(schedule, next).getTime() - next.getTime();
  return { next_run_at: next, set_back_before: new Date(next.getTime() - 2 * period) };
}

/** A window ends at the latest when the next one begins. */
export const endOfWindow = ({ window_hours }: BackupSchedule, startedAt: Date, next: Date): Date =>
  new Date(Math.min(startedAt.getTime() + window_hours * HOUR_MS, next.getTime()));
