/** What changes of a backup policy mean for the backups of its machines. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, machinesIn, says } from '../../../kernel/change-words/change-words.ts';
import { countMachinesWith } from './store.ts';
import type { BackupPolicyRow, Retention } from './table.ts';
import type { BackupSchedule } from './windows.ts';

const daysOf = ({ keep_days }: Retention): number => keep_days ?? Number.POSITIVE_INFINITY;

const daysIn = (days: number | null): string =>
  days === null ? 'any time' : days === 1 ? '1 day' : `${days} days`;

function retentionWords(before: Retention, after: Retention): ForeseenChange[] {
  const { keep_last: old, keep_days: oldDays } = before;
  const { keep_last: now, keep_days: nowDays } = after;
  const count = now === 1 ? 'backup' : `${now} backups`;
  return [
    ...(old === now ? [] : [{ text: `keeps the last ${count} instead of ${old}`, loosens: now < old }]),
    ...(oldDays === nowDays
      ? []
      : [
          {
            text: `keeps backups for ${daysIn(nowDays)} instead of ${daysIn(oldDays)}`,
            loosens: daysOf(after) < daysOf(before),
          },
        ]),
  ];
}

/** How many backups a schedule makes of a machine in 28 days. */
function runsIn({ frequency, every_hours }: BackupSchedule): number {
  if (frequency === 'every_n_hours') return (28 * 24) / (every_hours ?? 24);
  return { daily: 28, weekly: 4, monthly: 1 }[frequency];
}

function timesIn({ frequency, every_hours, hour, weekday, day_of_month }: BackupSchedule): string {
  if (frequency === 'every_n_hours') return `every ${every_hours} hours`;
  const day =
    frequency === 'weekly' ? ` on ${weekday}` : frequency === 'monthly' ? ` on day ${day_of_month}` : '';
  return `${frequency}${day} at ${hour}:00 UTC`;
}

function scheduleWords(before: BackupSchedule, after: BackupSchedule): ForeseenChange[] {
  const [old, now] = [timesIn(before), timesIn(after)];
  const [oldHours, nowHours] = [before.window_hours, after.window_hours];
  return [
    ...(old === now
      ? []
      : [{ text: `makes backups ${now} instead of ${old}`, loosens: runsIn(after) < runsIn(before) }]),
    ...(oldHours === nowHours
      ? []
      : [says(`tries for ${nowHours} instead of ${oldHours} hours to make a backup`)]),
  ];
}

type Settings = Pick<BackupPolicyRow, 'enabled' | 'schedule' | 'retention'>;

/** Whether a machine has fewer or shorter-lived backups under the second policy. */
export const keepsLess = (before: Settings, after: Settings): boolean =>
  before.enabled &&
  (!after.enabled ||
    runsIn(after.schedule) < runsIn(before.schedule) ||
    after.retention.keep_last < before.retention.keep_last ||
    daysOf(after.retention) < daysOf(before.retention));

export const policyWords: ChangeWords = {
  members: ['enabled', 'schedule', 'retention'],
  async say(effect, { db, subject }) {
    if (effect.action !== 'update' || effect.id === null) return [];
    const machines = machinesIn(await countMachinesWith(db, effect.id));
    const enabled = changeOf<boolean>(effect, 'enabled');
    const schedule = changeOf<BackupSchedule>(effect, 'schedule');
    const retention = changeOf<Retention>(effect, 'retention');
    const said = [
      ...(enabled === undefined
        ? []
        : [enabled.after ? says('makes backups again') : loosensBy('makes no more backups')]),
      ...(schedule === undefined ? [] : scheduleWords(schedule.before, schedule.after)),
      ...(retention === undefined ? [] : retentionWords(retention.before, retention.after)),
    ];
    return said.map(({ text, loosens }) => ({ text: `${subject} ${text}, for ${machines}`, loosens }));
  },
};
