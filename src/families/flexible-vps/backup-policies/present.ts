import { view } from '../../../resources/records/records.ts';
import { backupPolicies } from './resource.ts';
import { BackupPolicy, examplePolicy } from './schema.ts';
import type { BackupPolicyRow } from './table.ts';
import { type BackupSchedule, nextRun } from './windows.ts';

/** `null` for policies that were set before this was recorded. */
function setBy({ api_key_id, member_id }: Pick<BackupPolicyRow, 'api_key_id' | 'member_id'>) {
  if (api_key_id === null && member_id === null) return null;
  const kind = api_key_id === null ? ('member' as const) : ('api_key' as const);
  return { kind, api_key_id, member_id };
}

export const policyView = view(backupPolicies, {
  schema: BackupPolicy,
  example: examplePolicy,
  compute: (row) => ({
    last_run: row.last_started_at && {
      started_at: row.last_started_at.toISOString(),
      succeeded: row.last_succeeded,
      failed: row.last_failed,
      skipped: row.last_skipped,
      over_budget: row.last_over_budget,
    },
    set_by: setBy(row),
  }),
});

/** When the policy runs next: a disabled one never does. */
export const timesOf = (enabled: boolean, schedule: BackupSchedule, now: Date) =>
  enabled ? nextRun(schedule, now) : { next_run_at: null, set_back_before: null };
