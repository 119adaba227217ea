import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * A console session belongs to the key that created it. Sessions without a known key are deleted: their tokens would
 * outlive the rights of the key.
 */
export async function up(db: Db): Promise<void> {
  await sql`delete from console_sessions`.execute(db);
  await sql`
    alter table console_sessions
      add column api_key_id text collate "C" not null references api_keys on delete cascade`.execute(db);
  await sql`create index console_sessions_by_key on console_sessions (api_key_id)`.execute(db);
}
