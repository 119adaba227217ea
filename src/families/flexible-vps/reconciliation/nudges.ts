/** Engines nudge us when a machine changed without our asking; then it is looked at now instead of within a minute. */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import type { Services } from '../../../kernel/services.ts';
import { sight } from './observed-machine.ts';
import { align } from './reconcile.ts';
import { isMachineAt } from './store.ts';

const AT_ONCE = 4;
/** Beyond that they are forgotten: the schedule finds what they were about. */
const MOST_WAITING = 10_000;

interface Nudge {
  readonly engine: ComputeEngine;
  readonly ref: Ref;
}

class Attention {
  readonly #services: Services;
  readonly #waiting = new Map<string, Nudge>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(services: Services) {
    this.#services = services;
  }

  draw(nudge: Nudge): void {
    const { engine, ref } = nudge;
    if (this.#ending.signal.aborted || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.set(`${engine.location} ${ref.account} ${ref.id}`, nudge);
    this.#goOn();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  #goOn(): void {
    for (const [key, nudge] of this.#waiting) {
      if (this.#running.size >= AT_ONCE) return;
      this.#waiting.delete(key);
      const look = this.#look(nudge).finally(() => {
        this.#running.delete(look);
        this.#goOn();
      });
      this.#running.add(look);
    }
  }

  async #look({ engine, ref }: Nudge): Promise<void> {
    const { signal } = this.#ending;
    try {
      if (!(await isMachineAt(this.#services.db, ref, engine.location))) return;
      await align(this.#services, ref, await sight(this.#services, engine, ref, signal));
    } catch (error) {
      if (!signal.aborted) this.#services.log.warn({ err: error, vm: ref.id }, 'a nudge led to nothing');
    }
  }
}

export function watchMachines(services: Services): () => Promise<void> {
  const attention = new Attention(services);
  const ends = services.compute.all.map((engine) => engine.watch((ref) => attention.draw({ engine, ref })));
  return async () => {
    for (const end of ends) end();
    await attention.end();
  };
}
