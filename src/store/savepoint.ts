import { sql } from 'kysely';
import type { Db, Tx } from './database.ts';
import { sendNow } from './send-later.ts';

/** Runs `work` in a savepoint of the current transaction. Rolls its writes back if it returns false. */
export async function keepIf(db: Db, work: () => Promise<boolean>): Promise<boolean> {
  await sql`savepoint attempt`.execute(db);
  const kept = await work();
  await sql.raw(kept ? 'release savepoint attempt' : 'rollback to savepoint attempt').execute(db);
  return kept;
}

/** Runs `work` in a savepoint. If it throws, its writes are rolled back, and the transaction can go on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    // A statement that was to travel with the next one fails here, not in what comes after.
    await sendNow(tx);
    return result;
  } catch (error) {
    await sendNow(tx).catch(() => undefined);
    await sql`rollback to savepoint part`.execute(tx);
    throw error;
  }
}

/** Until the end of the transaction, a lock is waited for, and a statement takes, at most this time. */
export async function limitWaits(tx: Tx, lockMs: number, statementMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockMs}ms`}, true),
    set_config('statement_timeout', ${`${statementMs}ms`}, true)`.execute(tx);
}
