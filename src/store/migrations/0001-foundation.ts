import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table instance (
  only_row bool primary key default true check (only_row),
  cursor_secret bytea not null,
  created_at timestamptz not null default now()
);
insert into instance (cursor_secret)
  values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

create table accounts (
  id text collate "C" primary key,
  name text not null,
  status text not null default 'active' check (status in ('active', 'restricted', 'suspended', 'closing', 'closed')),
  currency text not null,
  country text not null,
  timezone text not null,
  contacts jsonb not null default '{"technical":[],"abuse":[],"security":[]}',
  support_plan text not null default 'basic' check (support_plan in ('basic', 'business', 'premium')),
  key_max_lifetime_days int,
  key_non_expiring_allowed bool not null default false,
  key_default_approval text not null default 'off' check (key_default_approval in ('off', 'destructive', 'writes')),
  mfa_required bool not null default false,
  keys_suspended bool not null default false,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table account_products (
  account_id text collate "C" not null references accounts on delete cascade,
  family text not null,
  enabled bool not null,
  since timestamptz,
  reason text,
  primary key (account_id, family)
);

create table account_limits (
  account_id text collate "C" not null references accounts on delete cascade,
  limit_id text not null,
  value int,
  primary key (account_id, limit_id)
);

create table members (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'operator', 'developer', 'viewer', 'billing')),
  status text not null default 'active' check (status in ('invited', 'active', 'suspended')),
  mfa_enabled bool not null default false,
  last_sign_in_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index members_email on members (account_id, lower(email));
create index members_page on members (account_id, id);

create table api_keys (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  public_id text collate "C" not null unique,
  hash bytea not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
  permissions text[] not null,
  preset text,
  approval text not null default 'off' check (approval in ('off', 'destructive', 'writes')),
  approval_over_monthly numeric(12, 2),
  owner_id text collate "C" references members on delete set null,
  owner_name text not null,
  expires_in text not null,
  expires_at timestamptz,
  notes text not null default '',
  last_used_at timestamptz,
  last_used_ip text,
  last_used_user_agent text,
  last_used_operation text,
  last_rejected_at timestamptz,
  last_rejected_ip text,
  last_rejected_code text,
  exposed_at timestamptz,
  replaced_by text collate "C",
  revoked_at timestamptz,
  revoked_by text,
  revoked_reason text,
  revoked_comment text,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index api_keys_page on api_keys (account_id, id);
create index api_keys_owner on api_keys (owner_id);

create table ip_allowlists (
  account_id text collate "C" primary key references accounts on delete cascade,
  mode text not null default 'off' check (mode in ('off', 'report_only', 'enforce')),
  mode_changed_at timestamptz,
  mode_changed_by text,
  version int not null default 1
);

create table ip_allowlist_entries (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  cidr cidr not null,
  note text not null default '',
  expires_at timestamptz,
  last_matched_at timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null,
  unique (account_id, cidr)
);

create table key_denials (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  cause text not null check (cause in ('permission', 'ip_restriction')),
  code text not null,
  enforced bool not null,
  allowlist_mode text not null,
  key_id text collate "C" not null,
  key_public_id text not null,
  key_name text not null,
  client_ip text not null,
  method text not null,
  path_template text not null,
  operation_id text not null,
  required_permission text,
  denied_by text[],
  user_agent text not null default '',
  count int not null default 1,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_request_id text not null
);
create index key_denials_page on key_denials (account_id, id);
create index key_denials_fold on key_denials (key_id, client_ip, operation_id, cause, enforced, first_at);

create table key_denial_drops (
  account_id text collate "C" not null references accounts on delete cascade,
  day date not null,
  count int not null,
  primary key (account_id, day)
);

create table audit_heads (
  account_id text collate "C" primary key references accounts on delete cascade,
  sequence bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- The last entry that left because of its age: what is kept must follow from it.
  retired_sequence bigint not null default 0,
  retired_hash bytea not null default decode(repeat('00', 32), 'hex')
);

create table audit_entries (
  account_id text collate "C" not null references accounts on delete cascade,
  sequence bigint not null,
  id text collate "C" not null,
  occurred_at timestamptz not null,
  actor_id text collate "C",
  action text not null,
  resource_id text collate "C",
  outcome text not null check (outcome in ('accepted', 'succeeded', 'rejected', 'failed')),
  entry jsonb not null,
  prev_hash bytea not null,
  hash bytea not null,
  primary key (account_id, sequence)
);
create index audit_entries_time on audit_entries (account_id, occurred_at, sequence);
create index audit_entries_actor on audit_entries (account_id, actor_id, sequence);
create index audit_entries_resource on audit_entries (account_id, resource_id, sequence);
create index audit_entries_action on audit_entries (account_id, action, sequence);
create index audit_entries_outcome on audit_entries (account_id, outcome, sequence);

create table idempotency_keys (
  account_id text collate "C" not null references accounts on delete cascade,
  key text collate "C" not null,
  request_hash bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table resources (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  family text not null,
  type text not null,
  name text not null,
  status text not null,
  location text,
  labels jsonb not null default '{}',
  parent_id text collate "C",
  configuration jsonb,
  price_hourly_micros bigint,
  price_monthly_micros bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index resources_page on resources (account_id, id);
create index resources_created on resources (account_id, created_at, id);
create index resources_name on resources (account_id, name collate "C", id);
create index resources_type on resources (account_id, type, id);
create index resources_price on resources (account_id, (coalesce(price_monthly_micros, 0)), id);
create index resources_labels on resources using gin (labels jsonb_path_ops);

create function access_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform pg_notify('hostplane_access', old.account_id);
  else
    perform pg_notify('hostplane_access', new.account_id);
  end if;
  return null;
end $$;
create function account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('hostplane_access', new.id);
  return null;
end $$;
create trigger accounts_access after update of status, keys_suspended, name on accounts
  for each row execute function account_changed();
create trigger account_products_access after insert or delete or update on account_products
  for each row execute function access_changed();
create trigger members_access after delete or update of role, status on members
  for each row execute function access_changed();
create trigger api_keys_access
  after insert or delete or update of status, permissions, approval, owner_id, expires_at, hash, name on api_keys
  for each row execute function access_changed();
create trigger ip_allowlists_access after insert or delete or update on ip_allowlists
  for each row execute function access_changed();
create trigger ip_allowlist_entries_access after insert or delete or update of cidr, expires_at on ip_allowlist_entries
  for each row execute function access_changed();
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
