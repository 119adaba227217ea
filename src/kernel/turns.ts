/** Runs at most a few pieces of work at once for each key, in the order in which they came. */
import { Problem } from './problems/problem.ts';

interface TurnOptions {
  readonly atOnce: number;
  /** Work that could not begin within this time is refused with 503. */
  readonly patienceMs: number;
  readonly retryAfterSeconds: number;
  /** The detail of that refusal. */
  readonly refusal: string;
}

/** The refusal of work that only stood in line: what it wanted to use may well answer. */
export class TurnMissed extends Problem {}

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

export class Turns<K> {
  readonly #queues = new Map<K, Queue>();
  readonly #options: TurnOptions;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  async take<T>(key: K, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    if (queue.running >= this.#options.atOnce) await this.#wait(queue);
    else queue.running++;
    try {
      return await work();
    } finally {
      this.#pass(key, queue);
    }
  }

  /** Resolves when finished work hands over its turn, so `running` stays as it is. */
  #wait({ waiting }: Queue): Promise<void> {
    const { patienceMs, refusal: detail, retryAfterSeconds } = this.#options;
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new TurnMissed('engine_unavailable', { detail, retryAfterSeconds }));
      }, patienceMs);
      waiting.add(begin);
    });
  }

  #pass(key: K, queue: Queue): void {
    const [next] = queue.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    queue.running--;
    if (queue.running === 0) this.#queues.delete(key);
  }
}
