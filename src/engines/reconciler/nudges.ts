/**
 * An engine sends a nudge when an object changed without a call from Hostplane. The object is then reconciled at once
 * instead of at the next scheduled run.
 */
import type { Services } from '../../kernel/services.ts';
import type { Engines, Ref, WatchedEngine } from '../engine.ts';

const AT_ONCE = 4;
/** Further nudges are dropped: the scheduled run of the reconciler finds their changes. */
const MOST_WAITING = 10_000;

interface Nudge<E> {
  readonly engine: E;
  readonly ref: Ref;
}

/** Reconciles the object. `ref` may name an object that the family has no row for. */
type Reconcile<E> = (engine: E, ref: Ref, ending: AbortSignal) => Promise<void>;

class NudgeQueue<E extends WatchedEngine> {
  readonly #log: Services['log'];
  readonly #reconcile: Reconcile<E>;
  /** Keeps at most one waiting nudge for each object. */
  readonly #waiting = new Map<string, Nudge<E>>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor({ log }: Pick<Services, 'log'>, reconcile: Reconcile<E>) {
    this.#log = log;
    this.#reconcile = reconcile;
  }

  add(nudge: Nudge<E>): void {
    const { engine, ref } = nudge;
    if (this.#ending.signal.aborted || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.set(`${engine.location} ${ref.account} ${ref.id}`, nudge);
    this.#runWaiting();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  #runWaiting(): void {
    for (const [key, nudge] of this.#waiting) {
      if (this.#running.size >= AT_ONCE) return;
      this.#waiting.delete(key);
      const run = this.#run(nudge).finally(() => {
        this.#running.delete(run);
        this.#runWaiting();
      });
      this.#running.add(run);
    }
  }

  async #run({ engine, ref }: Nudge<E>): Promise<void> {
    const { signal } = this.#ending;
    try {
      await this.#reconcile(engine, ref, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#log.warn(
          { err: error, resource: ref.id },
          'a change that the engine reported could not be reconciled; the next scheduled run tries again',
        );
    }
  }
}

/** Returns a function that ends the subscriptions and waits for the reconciliations that still run. */
export function watchEngines<E extends WatchedEngine>(
  services: Pick<Services, 'log'>,
  engines: Engines<E>,
  reconcile: Reconcile<E>,
): () => Promise<void> {
  const queue = new NudgeQueue(services, reconcile);
  const ends = engines.all.map((engine) => engine.watch((ref) => queue.add({ engine, ref })));
  return async () => {
    for (const end of ends) end();
    await queue.end();
  };
}
