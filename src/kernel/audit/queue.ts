/** Audit entries of refused calls. No answer waits for them; they are in the account's chain within a second. */
import type { Db } from '../../store/database.ts';
import { WriteBehind } from '../write-behind.ts';
import type { AuditEntry } from './entry.ts';
import { append } from './store.ts';

declare module '../services.ts' {
  interface Services {
    readonly audit: AuditQueue;
  }
}

const CAPACITY = 10_000;

interface Waiting {
  readonly accountId: string;
  readonly entry: AuditEntry;
}

export class AuditQueue {
  readonly #queue: WriteBehind<Waiting>;
  dropped = 0;

  constructor(db: Db, failed: (error: unknown) => void) {
    this.#queue = new WriteBehind({
      capacity: CAPACITY,
      intervalMs: 500,
      dropped: () => {
        this.dropped++;
      },
      failed,
      write: async (waiting) => {
        // One transaction, sorted by account: with one lock order, two processes cannot deadlock.
        const ordered = [...waiting].sort((a, b) =>
          a.accountId < b.accountId ? -1 : a.accountId > b.accountId ? 1 : 0,
        );
        await db.transaction().execute(async (tx) => {
          for (const { accountId, entry } of ordered) await append(tx, accountId, entry);
        });
      },
    });
  }

  push(accountId: string, entry: AuditEntry): void {
    this.#queue.push(entry.id, { accountId, entry });
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
