import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Null: the request was stored before its changes were described in words, which cannot be made up for. */
export async function up(db: Db): Promise<void> {
  await sql`alter table approvals add column changes jsonb`.execute(db);
}
