import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

/** Declarations of one type in one account wait for one another: two that make the same name, or the last one allowed. */
export async function lockDeclarations(db: Db, accountId: string, type: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${type} ${accountId}`}, 0))`.execute(db);
}
