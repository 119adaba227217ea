import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { sendLater } from '../../store/send-later.ts';

/**
 * Locks declarations of one type in one account, so that no two create the same name or exceed a limit together. The
 * next statement of the transaction waits for the lock.
 */
export async function lockDeclarations(db: Db, accountId: string, type: string): Promise<void> {
  await sendLater(db, sql`select pg_advisory_xact_lock(hashtextextended(${`${type} ${accountId}`}, 0))`);
}
