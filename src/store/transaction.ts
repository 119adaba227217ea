import type { Db, Tx } from './database.ts';

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const TRIES = 5;

function wasSacrificed(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === DEADLOCK || code === SERIALIZATION;
}

/**
 * Of transactions that wait for one another the database ends one. It did nothing yet, so it is run again: whoever
 * waits should not have to know. `work` may have no effect but rows.
 */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!wasSacrificed(error) || tries === TRIES) throw error;
    }
  }
}
