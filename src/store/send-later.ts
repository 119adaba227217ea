import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import type { Later, LaterResult } from './driver.ts';

type Statement<R> = Compilable<R> | RawBuilder<R> | CompiledQuery<R>;

/**
 * Sends a statement whose result nobody reads together with the next one of the transaction, and before it. If it fails,
 * the next one is not executed and fails with its error. Outside a transaction it is executed at once.
 */
export async function sendLater(db: Db, statement: Statement<unknown>): Promise<void> {
  await execute(db, statement, 'unread');
}

/** Rows that arrive with the answer to the next statement of the transaction: wait for them only after sending that one. */
export interface Arriving<R> {
  readonly rows: Promise<readonly R[]>;
}

/** Like `sendLater`, for a statement whose rows are read after the next one is sent. */
export async function readLater<R>(db: Db, statement: Statement<R>): Promise<Arriving<R>> {
  const { rows, arriving = Promise.resolve(rows) } = await execute<R>(db, statement, 'read');
  return { rows: arriving };
}

/** Sends what waits for the next statement, for a transaction that has no statement to send. */
export async function sendNow(db: Db): Promise<void> {
  await sql`select ${1}::int`.execute(db);
}

function execute<R>(db: Db, statement: Statement<R>, later: 'read' | 'unread'): Promise<LaterResult<R>> {
  const compiled = 'compile' in statement ? statement.compile(db) : statement;
  const query: Later = { ...compiled, ...(db.isTransaction ? { later } : {}) };
  return db.executeQuery(query as Later<R>);
}
