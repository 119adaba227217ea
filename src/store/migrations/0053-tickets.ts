import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Tickets, their messages and files. The notes of staff have a table of their own, so that no query for customers can
 * find one. `sealed` has the bytes of a file until they are in the store of a location.
 */
const statements = `
create table tickets (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  number int not null,
  subject text not null,
  category text not null,
  severity text not null,
  status text not null,
  resources jsonb not null default '[]',
  request_ids text[] not null default '{}',
  cc_member_ids text[] not null default '{}',
  labels jsonb not null default '{}',
  created_by jsonb not null,
  assigned_team text,
  assigned_to text,
  follow_up_of text collate "C" references tickets,
  message_count int not null default 0,
  last_message_at timestamptz not null default now(),
  last_message_from text not null default 'customer',
  first_response_due_at timestamptz,
  first_response_at timestamptz,
  status_since timestamptz not null default now(),
  reminded_at timestamptz,
  closed_at timestamptz,
  text_hash bytea not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, number)
);
comment on column tickets.created_by is 'API key fact: which key opened the ticket';
create index tickets_page on tickets (account_id, id);
create index tickets_by_update on tickets (account_id, updated_at, id);
create index tickets_labels on tickets using gin (labels jsonb_path_ops);
create index tickets_by_text on tickets (account_id, text_hash);
create index tickets_by_creation on tickets (account_id, created_at);
create index tickets_by_status on tickets (account_id, status);
create index tickets_queue on tickets (status, first_response_due_at) where status in ('open', 'in_progress');
create index tickets_silent on tickets (status, status_since) where status in ('waiting_customer', 'solved');
create index tickets_follow_ups on tickets (follow_up_of) where follow_up_of is not null;

create table ticket_messages (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  ticket_id text collate "C" not null references tickets on delete cascade,
  sender text not null,
  author_name text not null,
  body text not null,
  via text not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index ticket_messages_page on ticket_messages (ticket_id, id);
create index ticket_messages_by_account on ticket_messages (account_id);

create table ticket_notes (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  ticket_id text collate "C" not null references tickets on delete cascade,
  author text not null,
  body text not null,
  created_at timestamptz not null default now()
);
create index ticket_notes_page on ticket_notes (ticket_id, id);
create index ticket_notes_by_account on ticket_notes (account_id);

create table ticket_attachments (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  message_id text collate "C" not null references ticket_messages on delete cascade,
  filename text not null,
  content_type text not null,
  size_bytes int not null,
  sha256 text not null,
  sealed bytea,
  location text,
  created_at timestamptz not null default now(),
  constraint ticket_attachments_place check (num_nonnulls(sealed, location) = 1)
);
create index ticket_attachments_by_message on ticket_attachments (message_id, id);
create index ticket_attachments_by_account on ticket_attachments (account_id);
create index ticket_attachments_to_move on ticket_attachments (id) where location is null;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
