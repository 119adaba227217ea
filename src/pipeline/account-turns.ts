/**
 * Limits how many database connections the changes of one account hold at once. These changes commit one after the
 * other anyway, because each of them locks the account's audit chain. Without the limit, a client that sends a
 * hundred changes at once would hold every connection while the changes wait for one another.
 */
import { Problem } from '../kernel/problems/problem.ts';

declare module '../kernel/services.ts' {
  interface Services {
    readonly turns: Turns;
  }
}

/** The share of the connection pool that one account may use, so that other accounts still get connections. */
const SHARE = 0.6;
const PATIENCE_MS = 30_000;
const RETRY_SECONDS = 5;

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

export class Turns {
  readonly #queues = new Map<string, Queue>();
  readonly #atOnce: number;

  constructor(connections: number) {
    this.#atOnce = Math.max(1, Math.floor(connections * SHARE));
  }

  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(accountId) ?? { running: 0, waiting: new Set() };
    this.#queues.set(accountId, queue);
    if (queue.running >= this.#atOnce) await this.#wait(queue);
    else queue.running++;
    try {
      return await work();
    } finally {
      this.#pass(accountId, queue);
    }
  }

  /**
   * Resolves when a finished change hands over its turn, so `running` stays as it is. Rejects after `PATIENCE_MS`.
   */
  #wait({ waiting }: Queue): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        const detail =
          'This change waited too long, because many other changes of the account are still running.';
        reject(new Problem('engine_unavailable', { detail, retryAfterSeconds: RETRY_SECONDS }));
      }, PATIENCE_MS);
      waiting.add(begin);
    });
  }

  #pass(accountId: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    queue.running--;
    if (queue.running === 0) this.#queues.delete(accountId);
  }
}
