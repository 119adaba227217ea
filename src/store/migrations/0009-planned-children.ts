import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Lets an operation that starts its child operations in batches report their total number from the beginning.
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table operations add column planned_children int check (planned_children >= 0)`.execute(db);
}
