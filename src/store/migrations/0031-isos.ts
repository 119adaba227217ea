import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table vps_isos (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  description text not null default '',
  architecture text not null,
  source_url text,
  sealed_url bytea,
  locations text[] not null default '{}',
  size_bytes bigint,
  sha256 text,
  status text collate "C" not null,
  progress_percent int,
  failure jsonb,
  failed_at timestamptz,
  provisioned_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)
);
create index vps_isos_page on vps_isos (account_id, id);
create index vps_isos_by_update on vps_isos (account_id, updated_at, id);
create index vps_isos_by_name on vps_isos (account_id, name, id);
create index vps_isos_labels on vps_isos using gin (labels jsonb_path_ops);
create index vps_isos_failed on vps_isos (failed_at) where failed_at is not null;

alter table vms add column iso_id text collate "C", add column iso_boot_once bool not null default false;
create table iso_strays (
  location text collate "C" not null,
  project text collate "C" not null,
  id text collate "C" not null,
  first_seen_at timestamptz not null default now(),
  primary key (location, project, id)
);
create index vms_by_iso on vms (account_id, iso_id) where iso_id is not null;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
