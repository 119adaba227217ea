import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * A console session belongs to the key that created it. Sessions without a known key are deleted: their tokens would
 * outlive the rights of the key. When a key or an account is suspended, unused tokens end for good: a token must not open
 * a console when the suspension is over.
 */
export async function up(db: Db): Promise<void> {
  await sql`delete from console_sessions`.execute(db);
  await sql`
    alter table console_sessions
      add column api_key_id text collate "C" not null references api_keys on delete cascade`.execute(db);
  await sql`create index console_sessions_by_key on console_sessions (api_key_id)`.execute(db);
  await sql`
    create function end_console_tokens_of_key() returns trigger language plpgsql as $$
    begin
      delete from console_sessions where api_key_id = new.id and opened_at is null;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger api_keys_end_console_tokens after update of status on api_keys
      for each row when (new.status <> 'active') execute function end_console_tokens_of_key()`.execute(db);
  await sql`
    create function end_console_tokens_of_account() returns trigger language plpgsql as $$
    begin
      delete from console_sessions where account_id = new.id and opened_at is null;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger accounts_end_console_tokens after update of status, keys_suspended on accounts
      for each row when (new.keys_suspended or new.status <> 'active')
      execute function end_console_tokens_of_account()`.execute(db);
}
