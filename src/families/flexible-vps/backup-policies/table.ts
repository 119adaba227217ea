import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { BackupSchedule } from './windows.ts';

export interface Retention {
  readonly keep_last: number;
  readonly keep_days: number | null;
}

interface BackupPoliciesTable extends OwnedTable {
  enabled: boolean;
  schedule: BackupSchedule;
  retention: Retention;
  /** When the next window begins; null if the policy is disabled. */
  next_run_at: Date | null;
  /** If it is earlier than this, the clock was set back: the next window is one that should come first. */
  set_back_before: Date | null;
  last_started_at: Date | null;
  last_succeeded: Generated<number>;
  last_failed: Generated<number>;
  last_skipped: Generated<number>;
  last_over_budget: Generated<number>;
  /** Who set the schedule and the retention. Both are null if that was before it was recorded. */
  api_key_id: string | null;
  member_id: string | null;
}

interface BackupJobsTable {
  vm_id: string;
  account_id: string;
  policy_id: string;
  window_ends_at: Date;
  tried_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    backup_policies: BackupPoliciesTable;
    backup_jobs: BackupJobsTable;
  }
}

export type BackupPolicyRow = Selectable<Tables['backup_policies']>;
export type BackupJob = Selectable<Tables['backup_jobs']>;
