import type { Db, Tx } from './database.ts';
import { isUnavailable, Unavailable } from './unavailable.ts';

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const TRIES = 5;

function wasChosenAsVictim(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === DEADLOCK || code === SERIALIZATION;
}

/** The connection was lost after `commit` was sent: nobody knows whether PostgreSQL received it. */
export class CommitUnanswered extends Unavailable {
  override readonly name = 'CommitUnanswered';

  constructor(cause: unknown) {
    super('PostgreSQL did not confirm a commit.', cause);
  }
}

/**
 * Runs `work` in a transaction and retries it if PostgreSQL ends it because of a deadlock or a serialization
 * failure. Such a transaction was rolled back completely, so the caller need not notice. `work` must have no
 * effects other than rows, because it may run more than once.
 */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    let isCommitting = false;
    try {
      return await db.transaction().execute(async (tx) => {
        const result = await work(tx);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      if (wasChosenAsVictim(error) && tries < TRIES) continue;
      if (isCommitting && !wasChosenAsVictim(error) && isUnavailable(error))
        throw new CommitUnanswered(error);
      throw error;
    }
  }
}
