/** How many backups of each machine a policy is going to hold. */
import type { BackupPolicyRow } from '../table.ts';
import type { BackupSchedule } from '../windows.ts';

const MONTH_DAYS = 31;

/** The shortest time from one window to the next. */
function daysBetween({ frequency, every_hours }: BackupSchedule): number {
  switch (frequency) {
    case 'every_n_hours':
      return (every_hours ?? 24) / 24;
    case 'daily':
      return 1;
    case 'weekly':
      return 7;
    case 'monthly':
      return 28;
  }
}

export interface Held {
  /** How many backups of a machine the retention keeps at most. */
  readonly most: number;
  /** How many are made within a month at most. */
  readonly runs: number;
}

/** A disabled policy makes none. The newest backup of a machine stays, however old it is. */
export function heldBy({
  enabled,
  schedule,
  retention: { keep_last, keep_days },
}: Pick<BackupPolicyRow, 'enabled' | 'schedule' | 'retention'>): Held {
  const days = daysBetween(schedule);
  const byAge = keep_days === null ? keep_last : Math.floor(keep_days / days) + 1;
  return {
    most: Math.min(keep_last, byAge),
    runs: enabled ? Math.max(1, Math.floor(MONTH_DAYS / days)) : 0,
  };
}
