import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * The people who sign in to the portal. A person belongs to accounts through members. Passwords, codes and tokens are
 * stored as hashes; the secret of a one-time password app is sealed.
 */
const statements = `
create table people (
  id text collate "C" primary key,
  name text not null,
  email text not null,
  password_hash text,
  password_changed_at timestamptz,
  totp_secret bytea,
  totp_enabled_at timestamptz,
  totp_last_step bigint not null default 0,
  totp_pending bytea,
  theme text not null default 'system' check (theme in ('system', 'light', 'dark')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index people_email on people (lower(email));

alter table members add column person_id text collate "C" references people on delete set null;
create unique index members_person on members (person_id, account_id);

create table sessions (
  id text collate "C" primary key,
  person_id text collate "C" not null references people on delete cascade,
  token_hash bytea not null unique,
  previous_token_hash bytea unique,
  previous_token_until timestamptz,
  second_factor bool not null,
  reauthenticated_at timestamptz,
  client_ip text not null,
  user_agent text not null,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index sessions_person on sessions (person_id);
create index sessions_end on sessions (expires_at);

create table session_accounts (
  session_id text collate "C" not null references sessions on delete cascade,
  account_id text collate "C" not null references accounts on delete cascade,
  entered_at timestamptz not null default clock_timestamp(),
  primary key (session_id, account_id)
);

create table passkeys (
  id text collate "C" primary key,
  person_id text collate "C" not null references people on delete cascade,
  credential_id text collate "C" not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_person on passkeys (person_id);

create table recovery_codes (
  person_id text collate "C" not null references people on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  primary key (person_id, hash)
);

create table one_time_tokens (
  hash bytea primary key,
  purpose text not null,
  person_id text collate "C" references people on delete cascade,
  email text,
  data jsonb not null default '{}',
  wrong_codes int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  usable_from timestamptz not null default '-infinity',
  used_at timestamptz
);
create index one_time_tokens_person on one_time_tokens (person_id, purpose);
create index one_time_tokens_email on one_time_tokens (lower(email), purpose) where email is not null;
create index one_time_tokens_end on one_time_tokens (expires_at);

create table sign_in_attempts (
  id text collate "C" primary key,
  subject text not null,
  at timestamptz not null default clock_timestamp()
);
create index sign_in_attempts_subject on sign_in_attempts (subject, at);
create index sign_in_attempts_end on sign_in_attempts (at);

create table person_events (
  id text collate "C" primary key,
  person_id text collate "C" not null references people on delete cascade,
  type text not null,
  occurred_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  count int not null default 1,
  fold bigint,
  client_ip text,
  user_agent text,
  request_id text,
  data jsonb not null default '{}'
);
create index person_events_page on person_events (person_id, id);
create unique index person_events_fold on person_events (person_id, type, fold) where fold is not null;
create index person_events_end on person_events (last_at);

create table invitations (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  member_id text collate "C" not null unique references members on delete cascade,
  token_hash bytea not null unique,
  invited_by text not null,
  inviter_name text not null,
  sent_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index invitations_page on invitations (account_id, id);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
