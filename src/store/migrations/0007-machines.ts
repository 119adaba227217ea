import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Columns that every resource of the family has. */
const common = `
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()`;

/** Indexes for the orders in which lists can be sorted. */
const pages = (table: string): string => `
create index ${table}_page on ${table} (account_id, id);
create index ${table}_by_update on ${table} (account_id, updated_at, id);
create index ${table}_by_name on ${table} (account_id, name, id);
create index ${table}_labels on ${table} using gin (labels jsonb_path_ops);`;

const statements = `
create table ssh_keys (${common},
  public_key text not null,
  type text not null,
  bits int not null,
  fingerprint_sha256 text collate "C" not null,
  fingerprint_md5 text collate "C" not null,
  comment text not null,
  unique (account_id, name),
  unique (account_id, fingerprint_sha256)
);
${pages('ssh_keys')}

create table placement_groups (${common},
  location text collate "C" not null,
  policy text not null check (policy in ('spread', 'compact')),
  strict bool not null,
  unique (account_id, name)
);
${pages('placement_groups')}

create table vps_networks (${common},
  description text not null default '',
  location text collate "C" not null,
  ipv4_cidr cidr not null,
  ipv6_cidr cidr unique,
  nat jsonb not null,
  dns jsonb not null,
  mtu int not null,
  routes jsonb not null,
  protected bool not null default false,
  status text collate "C" not null,
  status_reason text,
  unique (account_id, name)
);
${pages('vps_networks')}

create table vps_images (${common},
  description text not null default '',
  os jsonb not null,
  architecture text not null,
  boot_mode text not null,
  secure_boot bool not null default false,
  min_disk_gb int not null,
  min_memory_mb int not null,
  size_bytes bigint,
  sha256 text,
  cloud_init bool not null,
  guest_agent bool not null,
  default_user text not null,
  source jsonb not null,
  -- The whole address it is fetched from, which may hold a signature; null once it is fetched.
  sealed_url bytea,
  -- Where its bytes lie; other locations get a copy when the first machine there is made from it.
  locations text[] not null default '{}',
  status text collate "C" not null,
  progress_percent int,
  failure jsonb,
  failed_at timestamptz,
  unique (account_id, name)
);
${pages('vps_images')}

create table vms (${common},
  description text not null default '',
  status text collate "C" not null,
  status_reason text,
  location text collate "C" not null,
  plan text collate "C" not null,
  requested jsonb not null,
  vcpus int not null,
  memory_mb int not null,
  disk_gb int not null,
  architecture text not null,
  hostname text not null,
  -- As it was when the disk was made from it; null where that was no image.
  image jsonb,
  source jsonb not null,
  boot_mode text not null,
  secure_boot bool not null,
  ipv6_prefix cidr,
  placement_group_id text collate "C" references placement_groups,
  ssh_key_ids text[] not null default '{}',
  -- Installed at the last create or redeploy, whatever became of the stored keys since.
  ssh_public_keys text[] not null default '{}',
  password_hash text,
  user_data bytea,
  user_data_sha256 text,
  applied_user_data_sha256 text,
  -- cloud-init runs again when it changes.
  seed text not null,
  applied_seed text,
  rescue_expires_at timestamptz,
  guest_agent jsonb,
  protected_delete bool not null default false,
  protected_redeploy bool not null default false,
  maintenance jsonb,
  host_group text,
  -- What it costs is worked out from this.
  configuration jsonb not null,
  -- From the moment it was made; one that could not be made costs nothing.
  is_billed bool not null default false,
  started_at timestamptz,
  -- Since when it has been in error.
  failed_at timestamptz,
  unique (account_id, name)
);
${pages('vms')}
create index vms_by_status on vms (account_id, status, id);
create index vms_by_location on vms (account_id, location, id);
create index vms_at on vms (location, id);
create index vms_failed on vms (failed_at) where failed_at is not null;
create index vms_by_group on vms (placement_group_id) where placement_group_id is not null;
create index vms_by_rescue on vms (rescue_expires_at) where rescue_expires_at is not null;

-- Machines that an engine has and nobody owns.
create table vm_strays (
  location text collate "C" not null,
  project text collate "C" not null,
  id text collate "C" not null,
  first_seen_at timestamptz not null default now(),
  primary key (location, project, id)
);

create table vm_interfaces (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  vm_id text collate "C" not null references vms on delete cascade,
  kind text not null check (kind in ('public', 'private')),
  network_id text collate "C" references vps_networks,
  mac macaddr not null unique,
  position int not null,
  mtu int not null,
  anti_spoofing bool not null default true,
  description text not null default '',
  status text collate "C" not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vm_id, position),
  unique (vm_id, network_id),
  check ((kind = 'private') = (network_id is not null))
);
create index vm_interfaces_by_network on vm_interfaces (network_id) where network_id is not null;

-- Every address in use in a private network, once.
create table network_addresses (
  network_id text collate "C" not null references vps_networks on delete cascade,
  address inet not null,
  interface_id text collate "C" not null references vm_interfaces on delete cascade,
  role text not null check (role in ('ipv4', 'ipv6', 'alias')),
  primary key (network_id, address)
);
create index network_addresses_by_interface on network_addresses (interface_id);
create unique index network_addresses_one_of_each on network_addresses (interface_id, role) where role <> 'alias';

-- Public addresses and prefixes that somebody holds, held so lately that nobody else may have them yet, or may have now.
create table public_addresses (
  id text collate "C" primary key,
  -- Null while nobody holds it.
  account_id text collate "C" references accounts on delete cascade,
  pool text collate "C" not null,
  location text collate "C" not null,
  block cidr not null,
  kind text not null check (kind in ('ephemeral', 'reserved')),
  name text collate "C",
  labels jsonb not null default '{}',
  vm_id text collate "C" references vms,
  interface_id text collate "C" references vm_interfaces,
  quarantined_until timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint held_once exclude using gist (block inet_ops with &&),
  check ((quarantined_until is null) = (account_id is not null))
);
create index public_addresses_by_account on public_addresses (account_id, id);
create index public_addresses_by_vm on public_addresses (vm_id) where vm_id is not null;
create index public_addresses_free on public_addresses (location, family(block), quarantined_until)
  where quarantined_until is not null;

-- How much of each range was cut into rows of public_addresses so far.
create table address_pool_cuts (
  cidr cidr primary key,
  cut bigint not null
);

create table vm_snapshots (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  vm_id text collate "C" not null references vms on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  description text not null default '',
  status text collate "C" not null,
  size_bytes bigint,
  disk_gb int not null,
  consistency text,
  created_by text not null check (created_by in ('user', 'system')),
  expires_at timestamptz,
  failed_at timestamptz,
  applied_seed text,
  applied_user_data_sha256 text,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vm_id, name)
);
create index vm_snapshots_page on vm_snapshots (vm_id, id);
create index vm_snapshots_expiry on vm_snapshots (expires_at) where expires_at is not null;
create index vm_snapshots_failed on vm_snapshots (failed_at) where failed_at is not null;

create table console_sessions (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  vm_id text collate "C" not null references vms on delete cascade,
  type text not null check (type in ('graphical', 'serial')),
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  opened_at timestamptz,
  seen_at timestamptz,
  created_at timestamptz not null default now()
);
create index console_sessions_by_vm on console_sessions (vm_id);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
