import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Runs `work` in a savepoint of the current transaction. Rolls its writes back if it returns false. */
export async function keepIf(db: Db, work: () => Promise<boolean>): Promise<boolean> {
  await sql`savepoint attempt`.execute(db);
  const kept = await work();
  await sql.raw(kept ? 'release savepoint attempt' : 'rollback to savepoint attempt').execute(db);
  return kept;
}
