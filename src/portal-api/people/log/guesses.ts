/**
 * Wrong passwords, for the log of the person. They are written after the answer, because only people who exist have a
 * log: if the answer waited for the row, its time would tell which addresses have a sign-in.
 */
import { newId } from '../../../kernel/ids.ts';
import { WriteBehind } from '../../../kernel/write-behind.ts';
import type { Db } from '../../../store/database.ts';
import type { RequestContext } from '../request-context.ts';
import { foldPersonEvent, type GuessedEvent } from './store.ts';

declare module '../../../kernel/services.ts' {
  interface Services {
    readonly guesses: GuessLog;
  }
}

/** People per second whose passwords were guessed; guesses of one person are one entry with a count. */
const CAPACITY = 1_000;

export class GuessLog {
  readonly #queue: WriteBehind<GuessedEvent>;

  constructor(db: Db, failed: (error: unknown) => void) {
    this.#queue = new WriteBehind({
      capacity: CAPACITY,
      intervalMs: 1_000,
      failed,
      fold: (kept, next) => ({ ...next, id: kept.id, count: kept.count + next.count }),
      async write(events) {
        for (const event of events) await foldPersonEvent(db, event);
      },
    });
  }

  note({ clientIp, userAgent, requestId }: RequestContext, personId: string, method: string): void {
    const place = { clientIp, userAgent, requestId };
    const event = { id: newId('person_event'), personId, type: 'sign_in_failed', data: { method }, count: 1 };
    this.#queue.push(personId, { ...event, ...place });
  }

  flush = (): Promise<void> => this.#queue.flush();
  close = (): Promise<void> => this.#queue.close();
}
