import { describe, expect, it } from 'vitest';
import { NO_SCHEDULE } from './rules.ts';
import { type BackupSchedule, endOfWindow, nextRun, nextWindow } from './windows.ts';

const schedule = (members: Partial<BackupSchedule>): BackupSchedule => ({ ...NO_SCHEDULE, ...members });
const startAfter = (members: Partial<BackupSchedule>, time: string) =>
  nextWindow(schedule(members), new Date(time)).toISOString();

describe('the next window', () => {
  it('of a daily schedule is today, or tomorrow once it has begun', () => {
    expect(startAfter({ hour: 2 }, '2026-02-28T01:59:59.999Z')).toBe('2026-02-28T02:00:00.000Z');
    expect(startAfter({ hour: 2 }, '2026-02-28T02:00:00.000Z')).toBe('2026-03-01T02:00:00.000Z');
  });

  it('of an hourly schedule is counted from its hour, across midnight', () => {
    const every = { frequency: 'every_n_hours', every_hours: 8, hour: 17 } as const;
    expect(startAfter(every, '2026-03-01T00:00:00Z')).toBe('2026-03-01T01:00:00.000Z');
    expect(startAfter(every, '2026-03-01T01:00:00Z')).toBe('2026-03-01T09:00:00.000Z');
    expect(startAfter(every, '2026-03-01T17:30:00Z')).toBe('2026-03-02T01:00:00.000Z');
  });

  it('of a weekly or monthly schedule is on its day', () => {
    // The first of March 2026 is a Sunday.
    expect(startAfter({ frequency: 'weekly', weekday: 'sun', hour: 3 }, '2026-03-01T03:00:00Z')).toBe(
      '2026-03-08T03:00:00.000Z',
    );
    expect(startAfter({ frequency: 'weekly', weekday: 'mon' }, '2026-03-01T12:00:00Z')).toBe(
      '2026-03-02T00:00:00.000Z',
    );
    expect(startAfter({ frequency: 'monthly', day_of_month: 28, hour: 5 }, '2026-01-28T05:00:00Z')).toBe(
      '2026-02-28T05:00:00.000Z',
    );
  });

  it('ends after its hours, or when the following one begins', () => {
    const start = new Date('2026-03-01T00:00:00Z');
    const every = schedule({ frequency: 'every_n_hours', every_hours: 4, window_hours: 6 });
    expect(endOfWindow(every, start, nextWindow(every, start)).toISOString()).toBe(
      '2026-03-01T04:00:00.000Z',
    );
    const daily = schedule({ window_hours: 6 });
    expect(endOfWindow(daily, start, nextWindow(daily, start)).toISOString()).toBe(
      '2026-03-01T06:00:00.000Z',
    );
  });

  it('is never further away than the limit that detects a clock that was set back', () => {
    const schedules: Partial<BackupSchedule>[] = [
      { hour: 7 },
      { frequency: 'every_n_hours', every_hours: 4 },
      { frequency: 'weekly', weekday: 'thu' },
      { frequency: 'monthly', day_of_month: 1 },
    ];
    for (const members of schedules)
      for (let hours = 0; hours < 24 * 366; hours += 7) {
        const now = new Date(Date.UTC(2027, 11, 1) + hours * 3_600_000);
        const { next_run_at, set_back_before } = nextRun(schedule(members), now);
        expect(next_run_at > now).toBe(true);
        expect(set_back_before <= now).toBe(true);
      }
  });
});
