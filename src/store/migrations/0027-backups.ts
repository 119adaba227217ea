import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
-- Backups outlive their machine and their policy, so they refer to neither by a key.
create table vm_backups (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  description text not null default '',
  status text collate "C" not null,
  provisioned_at timestamptz,
  vm_id text collate "C" not null,
  vm_name text not null,
  vm_deleted bool not null default false,
  kind text collate "C" not null check (kind in ('manual', 'scheduled', 'final', 'safety')),
  policy_id text collate "C",
  location text collate "C" not null,
  disk_gb int not null,
  memory_mb int not null,
  vcpus int not null,
  architecture text not null,
  boot_mode text not null,
  secure_boot bool not null,
  image jsonb,
  applied_seed text,
  applied_user_data_sha256 text,
  format text,
  size_bytes bigint,
  sha256 text,
  part_count int,
  consistency text,
  failure jsonb,
  failed_at timestamptz,
  is_cleared bool not null default false,
  expires_at timestamptz
);
create index vm_backups_page on vm_backups (account_id, id);
create index vm_backups_by_update on vm_backups (account_id, updated_at, id);
create index vm_backups_by_name on vm_backups (account_id, name, id);
create index vm_backups_labels on vm_backups using gin (labels jsonb_path_ops);
create index vm_backups_by_vm on vm_backups (account_id, vm_id, id);
create index vm_backups_by_policy on vm_backups (account_id, policy_id, id) where policy_id is not null;
create index vm_backups_expiry on vm_backups (expires_at) where expires_at is not null;
create index vm_backups_failed on vm_backups (failed_at) where failed_at is not null;
create index vm_backups_uncleared on vm_backups (failed_at) where status = 'failed' and not is_cleared;

-- The parts that the object store has, with the SHA-256 of their plain bytes.
create table backup_parts (
  backup_id text collate "C" not null references vm_backups on delete cascade,
  number int not null,
  sha256 text not null,
  primary key (backup_id, number)
);

-- One key for each account, sealed with the key of the installation.
create table backup_keys (
  account_id text collate "C" primary key references accounts on delete cascade,
  sealed bytea not null
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
