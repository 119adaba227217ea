import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Operations keep what the call that started them was warned of. */
export async function up(db: Db): Promise<void> {
  await sql`alter table operations add column warnings jsonb not null default '[]'`.execute(db);
}
