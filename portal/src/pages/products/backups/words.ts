/** How backups and their policies are said. */
import type { Backup, BackupPolicy } from '../../../data/storage-types.ts';
import { count } from '../../../data/words.ts';

export const kinds: Readonly<Record<Backup['kind'], string>> = {
  manual: 'By hand',
  scheduled: 'By a policy',
  final: 'Before its machine was deleted',
  safety: 'Before a restore',
};

export const consistencies: Readonly<Record<NonNullable<Backup['consistency']>, string>> = {
  filesystem: 'Files complete',
  crash: 'As after a power failure',
};

const days = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const;

type Schedule = Pick<
  BackupPolicy['schedule'],
  'frequency' | 'every_hours' | 'hour' | 'weekday' | 'day_of_month'
>;

/** "Every Monday at 02:00 UTC". */
export function scheduleWords(schedule: Schedule): string {
  const { frequency, every_hours, hour, weekday, day_of_month } = schedule;
  const at = `${String(hour).padStart(2, '0')}:00 UTC`;
  if (frequency === 'every_n_hours') return `Every ${every_hours} hours, beginning at ${at}`;
  if (frequency === 'daily') return `Every day at ${at}`;
  if (frequency === 'weekly') return `Every ${weekday === null ? 'week' : days[weekday]} at ${at}`;
  return `On day ${day_of_month} of every month at ${at}`;
}

/** "Keeps the newest 7, each for 30 days at most". */
export function retentionWords({ keep_last, keep_days }: BackupPolicy['retention']): string {
  const most = keep_last === 1 ? 'Keeps the newest one' : `Keeps the newest ${keep_last}`;
  return keep_days === null ? most : `${most}, each for ${count(keep_days, 'day')} at most`;
}
