import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table mails (
  id text collate "C" primary key,
  recipient text not null,
  template text not null,
  -- It may contain a one-time token, so it is removed when the mail was sent.
  data jsonb,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
  attempts int not null default 0,
  next_attempt_at timestamptz,
  last_error text,
  lease_owner text,
  lease_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((status = 'queued') = (finished_at is null)),
  check ((status = 'queued') = (next_attempt_at is not null)),
  check ((status = 'sent') = (data is null))
);
create index mails_due on mails (next_attempt_at) where status = 'queued';
create index mails_recipient on mails (lower(recipient), created_at);
create index mails_age on mails (created_at);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
