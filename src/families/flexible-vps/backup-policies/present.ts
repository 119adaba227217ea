import { backupPolicies } from './resource.ts';
import type { BackupPolicy } from './schema.ts';
import type { BackupPolicyRow } from './table.ts';
import { type BackupSchedule, nextRun } from './windows.ts';

type Shown = Awaited<ReturnType<typeof backupPolicies.get>>;

export function presentPolicy(row: Shown): BackupPolicy {
  const { id, name, labels, enabled, schedule, retention, vm_count, last_started_at } = row;
  return {
    ...{ id, name, labels, enabled, schedule, retention, vm_count },
    next_run_at: row.next_run_at?.toISOString() ?? null,
    last_run: last_started_at && {
      started_at: last_started_at.toISOString(),
      succeeded: row.last_succeeded,
      failed: row.last_failed,
      skipped: row.last_skipped,
      over_budget: row.last_over_budget,
    },
    set_by: setBy(row),
    etag: backupPolicies.etag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** `null` for policies that were set before this was recorded. */
function setBy({ api_key_id, member_id }: Pick<BackupPolicyRow, 'api_key_id' | 'member_id'>) {
  if (api_key_id === null && member_id === null) return null;
  const kind = api_key_id === null ? ('member' as const) : ('api_key' as const);
  return { kind, api_key_id, member_id };
}

/** When the policy runs next: a disabled one never does. */
export const timesOf = (enabled: boolean, schedule: BackupSchedule, now: Date) =>
  enabled ? nextRun(schedule, now) : { next_run_at: null, set_back_before: null };
