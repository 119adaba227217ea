import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table operations (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  type text not null,
  family text not null,
  status text not null check (status in ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
  resource_type text not null,
  resource_id text collate "C",
  resource_name text,
  related jsonb not null default '[]',
  parent_id text collate "C" references operations on delete set null,
  actor jsonb not null,
  api_key_id text collate "C",
  permission text,
  request_id text,
  cancellable bool not null,
  progress_percent int,
  step text not null default '',
  waiting_for text,
  error jsonb,
  result jsonb,
  expected_seconds int,
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- From here on: what only the runner reads.
  queue text not null check (queue in ('exclusive', 'attach', 'destroy', 'free')),
  input jsonb not null default '{}',
  phase text not null default 'forward' check (phase in ('forward', 'undo')),
  step_index int not null default 0,
  results jsonb not null default '{}',
  -- At the head of all its queues.
  is_ready bool not null,
  run_at timestamptz not null default now(),
  -- When run_at was set: a clock that shows an earlier time was put back, and nothing it says can be waited for.
  run_at_set timestamptz not null default now(),
  tries int not null default 0,
  -- Its present step is done when the children it started have ended.
  awaits_children bool not null default false,
  tolerates_failure bool not null default false,
  last_error jsonb,
  -- Whatever is queued can be cancelled; this becomes \`cancellable\` once it runs.
  cancellable_running bool not null default false,
  parent_step text,
  -- Raised by whoever has news for it, so that news that comes while a step decides to sleep is not slept through.
  wakes int not null default 0,
  cancel_requested bool not null default false,
  -- The fence: raised by every claim, so that a worker that lost its lease can commit nothing.
  attempt int not null default 0,
  lease_owner text,
  lease_until timestamptz,
  check ((status in ('succeeded', 'failed', 'cancelled')) = (finished_at is not null))
);
create index operations_page on operations (account_id, id);
create index operations_status on operations (account_id, status, id);
create index operations_resource on operations (account_id, resource_id, id);
create index operations_parent on operations (parent_id) where parent_id is not null;
create index operations_due on operations (run_at) where finished_at is null and is_ready and lease_owner is null;
create index operations_set on operations (run_at_set) where finished_at is null and is_ready and lease_owner is null;
create index operations_leased on operations (lease_until) where lease_owner is not null;
create index operations_unfinished on operations (resource_id) where finished_at is null;
create index operations_ended on operations (finished_at) where finished_at is not null;

-- One row for each thing an unfinished operation works on. Places are given out under a lock per subject, so the order
-- of places is the order of commits.
create sequence operation_places;
create table operation_subjects (
  operation_id text collate "C" not null references operations on delete cascade,
  subject text collate "C" not null,
  place bigint not null,
  is_running bool not null default false,
  primary key (operation_id, subject)
);
create index operation_subjects_queue on operation_subjects (subject, place);
create unique index operation_subjects_one_runs on operation_subjects (subject) where is_running;

create table event_heads (
  account_id text collate "C" primary key references accounts on delete cascade,
  sequence bigint not null default 0
);

create table events (
  account_id text collate "C" not null references accounts on delete cascade,
  sequence bigint not null,
  id text collate "C" not null unique,
  type text not null,
  severity text not null check (severity in ('info', 'warning', 'error')),
  family text not null,
  resource_type text,
  resource_id text collate "C",
  resource_name text,
  operation_id text collate "C",
  actor jsonb not null,
  message text not null,
  data jsonb not null default '{}',
  occurred_at timestamptz not null default now(),
  primary key (account_id, sequence)
);
create index events_resource on events (account_id, resource_id, sequence);
create index events_age on events (occurred_at);

create table event_streams (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  key_id text collate "C" not null,
  seen_at timestamptz not null default now()
);
create index event_streams_account on event_streams (account_id);

create table approvals (
  operation_id text collate "C" primary key references operations on delete cascade,
  account_id text collate "C" not null references accounts on delete cascade,
  key_id text collate "C" not null,
  request_hash bytea not null,
  endpoint_id text not null,
  method text not null,
  path text not null,
  query jsonb not null,
  body jsonb,
  effects jsonb not null,
  cost jsonb not null,
  expires_at timestamptz not null,
  decision text check (decision in ('approved', 'denied')),
  decided_by text,
  decided_at timestamptz,
  usable_until timestamptz,
  used_at timestamptz
);
create index approvals_key on approvals (key_id) where decision is null;

-- Work that is due again and again; whoever moves next_at does it.
create table schedules (
  name text primary key,
  next_at timestamptz not null default now(),
  last_at timestamptz
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
