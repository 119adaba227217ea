import { sql } from 'kysely';
import type { Db } from '../database.ts';

const common = `
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  description text not null default '',
  status text collate "C" not null,
  provisioned_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()`;

const statements = `
create table vps_volumes (${common},
  status_reason text,
  location text collate "C" not null,
  size_gb int not null,
  tier text collate "C" not null,
  kind text not null check (kind in ('block', 'filesystem')),
  vm_id text collate "C" references vms,
  device_path text,
  serial text,
  source_snapshot_id text collate "C",
  protected bool not null default false,
  unique (account_id, name)
);
create index vps_volumes_page on vps_volumes (account_id, id);
create index vps_volumes_by_update on vps_volumes (account_id, updated_at, id);
create index vps_volumes_by_name on vps_volumes (account_id, name, id);
create index vps_volumes_labels on vps_volumes using gin (labels jsonb_path_ops);
create index vps_volumes_by_vm on vps_volumes (vm_id, id) where vm_id is not null;
create index vps_volumes_by_location on vps_volumes (account_id, location, id);
create index vps_volumes_at on vps_volumes (location, id);
create index vps_volumes_copies on vps_volumes (account_id, source_snapshot_id) where status = 'creating';

create table volume_snapshots (${common},
  volume_id text collate "C" not null references vps_volumes on delete cascade,
  size_bytes bigint,
  size_gb int not null,
  consistency text,
  expires_at timestamptz,
  failed_at timestamptz,
  unique (volume_id, name)
);
create index volume_snapshots_page on volume_snapshots (volume_id, id);
create index volume_snapshots_expiry on volume_snapshots (expires_at) where expires_at is not null;
create index volume_snapshots_failed on volume_snapshots (failed_at) where failed_at is not null;

-- Volumes at engines that have no row.
create table volume_strays (
  location text collate "C" not null,
  project text collate "C" not null,
  id text collate "C" not null,
  first_seen_at timestamptz not null default now(),
  primary key (location, project, id)
);

-- The sandbox has more kinds of things now; its types say which.
alter table sandbox_things drop constraint if exists sandbox_things_kind_check;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
