import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
-- Which key the secrets in this database are sealed with: another one must not start on it.
alter table instance add column secret_key_fingerprint text;

create table webhooks (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  url text not null,
  owner_id text collate "C" references members on delete set null,
  visible_permissions text[] not null,
  event_types text[] not null,
  enabled bool not null,
  description text not null,
  labels jsonb not null,
  status text not null check (status in ('active', 'failing', 'disabled')),
  disabled_reason text check (disabled_reason in ('manual', 'failures', 'gone')),
  secret bytea not null,
  secret_version int not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- The last event of the account that was looked at for it.
  cursor bigint not null,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_code text,
  last_failure_http_status int,
  -- The first failure since the last success.
  failing_since timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check (enabled = (status <> 'disabled'))
);

-- One row for each attempt; those of one message share its id.
create table webhook_deliveries (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  webhook_id text collate "C" not null references webhooks on delete cascade,
  message_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  attempt int not null,
  trigger text not null check (trigger in ('event', 'retry', 'redelivery')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'discarded')),
  http_status int,
  error_code text,
  duration_ms int,
  response_excerpt text,
  -- Of this attempt while it waits, of the one after it when it failed.
  next_attempt_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  lease_owner text,
  lease_until timestamptz,
  unique (message_id, attempt),
  check ((status = 'pending') = (finished_at is null))
);
create unique index webhook_deliveries_one_waits on webhook_deliveries (message_id) where status = 'pending';
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_page on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_recent on webhook_deliveries (webhook_id, finished_at) where status = 'failed';
create index webhook_deliveries_age on webhook_deliveries (created_at);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
