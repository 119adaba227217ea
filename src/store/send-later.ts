import type { Compilable, RawBuilder } from 'kysely';
import type { Db } from './database.ts';
import type { Later } from './driver.ts';

/**
 * Sends a statement whose result nobody reads together with the next one of the transaction, and before it. If it fails,
 * the next one is not executed and fails with its error. Outside a transaction it is executed at once.
 */
export async function sendLater(db: Db, statement: Compilable | RawBuilder<unknown>): Promise<void> {
  const query: Later = { ...statement.compile(db), ...(db.isTransaction ? { isLater: true } : {}) };
  await db.executeQuery(query);
}
