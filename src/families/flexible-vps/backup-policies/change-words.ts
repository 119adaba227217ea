/** What changes of a backup policy mean for the backups of its machines. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, machinesIn, tightens } from '../../../kernel/change-words/change-words.ts';
import { countMachinesWith } from './store.ts';
import type { BackupPolicyRow, Retention } from './table.ts';
import type { BackupSchedule } from './windows.ts';

const daysOf = ({ keep_days }: Retention): number => keep_days ?? Number.POSITIVE_INFINITY;

const backupsIn = (count: number): string => (count === 1 ? 'the last backup' : `the last ${count} backups`);
const daysIn = (days: number | null): string =>
  days === null ? 'for any time' : days === 1 ? 'for 1 day' : `for ${days} days`;

function retentionWords(before: Retention, after: Retention, of: string): ForeseenChange[] {
  const { keep_last: old, keep_days: oldDays } = before;
  const { keep_last: now, keep_days: nowDays } = after;
  return [
    ...(old === now
      ? []
      : [{ text: `keeps ${backupsIn(now)} of ${of} instead of ${backupsIn(old)}`, loosens: now < old }]),
    ...(oldDays === nowDays
      ? []
      : [
          {
            text: `keeps backups of ${of} ${daysIn(nowDays)} instead of ${daysIn(oldDays)}`,
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

function scheduleWords(before: BackupSchedule, after: BackupSchedule, of: string): ForeseenChange[] {
  const [old, now] = [timesIn(before), timesIn(after)];
  return [
    ...(old === now
      ? []
      : [{ text: `backs up ${of} ${now} instead of ${old}`, loosens: runsIn(after) < runsIn(before) }]),
    ...(before.window_hours === after.window_hours
      ? []
      : [
          tightens(
            `tries for ${after.window_hours} instead of ${before.window_hours} hours to back up ${of}`,
          ),
        ]),
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
    const of = machinesIn(await countMachinesWith(db, effect.id));
    const enabled = changeOf<boolean>(effect, 'enabled');
    const schedule = changeOf<BackupSchedule>(effect, 'schedule');
    const retention = changeOf<Retention>(effect, 'retention');
    const switched = enabled?.after
      ? tightens(`backs up ${of} again`)
      : loosensBy(`no longer backs up ${of}`);
    const said = [
      ...(enabled === undefined ? [] : [switched]),
      ...(schedule === undefined ? [] : scheduleWords(schedule.before, schedule.after, of)),
      ...(retention === undefined ? [] : retentionWords(retention.before, retention.after, of)),
    ];
    return said.map(({ text, loosens }) => ({ text: `${subject} ${text}`, loosens }));
  },
};
