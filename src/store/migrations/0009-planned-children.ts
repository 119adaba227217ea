import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** An operation that starts others bit by bit tells from the beginning how many they will be. */
export async function up(db: Db): Promise<void> {
  await sql`alter table operations add column planned_children int check (planned_children >= 0)`.execute(db);
}
