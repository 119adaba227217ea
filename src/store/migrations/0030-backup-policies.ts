import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table backup_policies (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  enabled bool not null,
  schedule jsonb not null,
  retention jsonb not null,
  next_run_at timestamptz,
  set_back_before timestamptz,
  last_started_at timestamptz,
  last_succeeded int not null default 0,
  last_failed int not null default 0,
  last_skipped int not null default 0,
  unique (account_id, name)
);
create index backup_policies_page on backup_policies (account_id, id);
create index backup_policies_by_update on backup_policies (account_id, updated_at, id);
create index backup_policies_labels on backup_policies using gin (labels jsonb_path_ops);
create index backup_policies_due on backup_policies (next_run_at) where next_run_at is not null;
create index backup_policies_set_back on backup_policies (set_back_before) where set_back_before is not null;

alter table vms add column backup_policy_id text collate "C" references backup_policies;
create index vms_by_backup_policy on vms (backup_policy_id) where backup_policy_id is not null;

-- The machines that still need the backup of a window that has begun. A machine has at most one policy.
create table backup_jobs (
  vm_id text collate "C" primary key references vms on delete cascade,
  account_id text collate "C" not null references accounts on delete cascade,
  policy_id text collate "C" not null references backup_policies on delete cascade,
  window_ends_at timestamptz not null,
  tried_at timestamptz not null default now()
);
create index backup_jobs_by_try on backup_jobs (tried_at);
create index backup_jobs_by_policy on backup_jobs (policy_id);
create index backup_jobs_by_account on backup_jobs (account_id);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
