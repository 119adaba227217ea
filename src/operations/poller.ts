import type { Environment } from './environment.ts';

/** The interval while notifications arrive. */
const PATROL_MS = 30_000;
const AFTER_FAULT_MS = 1000;

/** The milliseconds until more is due, or null if only a notification can tell. */
export type DueMs = number | null;

export interface PollerOptions {
  readonly environment: Environment;
  /** The interval while no notifications arrive. */
  readonly deafMs: number;
  /** The least wait for a row that is due: another worker may be claiming it at this moment. */
  readonly shortestMs: number;
  /** Does what is due. Returns when more is due, or a function that finds it out, which is called only before a wait. */
  work(): Promise<DueMs | (() => Promise<DueMs>)>;
  failed(error: unknown): void;
  /** Called before the work after a long wait: a notification may have been lost meanwhile. */
  afterLongWait?(): void;
}

/**
 * Does work when a notification arrives, when more is due, and at a long interval in case a notification was lost. One
 * run at a time: a notification during a run causes another one.
 */
export class Poller {
  readonly #options: PollerOptions;
  #callOff: () => void = () => undefined;
  #working: Promise<void> | null = null;
  #again = false;
  #hears = false;
  #isOpen = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** The listener is connected: from now on notifications arrive. */
  up(): void {
    this.#hears = true;
    this.wake();
  }

  down(): void {
    this.#hears = false;
    this.#wakeIn(this.#options.deafMs);
  }

  wake(): void {
    if (!this.#isOpen) return;
    if (this.#working !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#callOff();
    this.#working = this.#work().then(
      (waitMs) => this.#worked(waitMs),
      (error: unknown) => {
        this.#options.failed(error);
        this.#worked(AFTER_FAULT_MS);
      },
    );
  }

  /** Starts no more work and waits for the run that is under way. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#callOff();
    await this.#working;
  }

  async #work(): Promise<number> {
    const due = await this.#options.work();
    if (typeof due !== 'function') return this.#waitFor(due);
    // Woken meanwhile: the next run begins at once.
    return this.#again ? 0 : this.#waitFor(await due());
  }

  #waitFor(dueMs: DueMs): number {
    const patrolMs = this.#hears ? PATROL_MS : this.#options.deafMs;
    return dueMs === null
      ? patrolMs
      : Math.min(patrolMs, Math.max(this.#options.shortestMs, Math.ceil(dueMs)));
  }

  #worked(waitMs: number): void {
    this.#working = null;
    if (this.#again) this.wake();
    else this.#wakeIn(waitMs);
  }

  #wakeIn(milliseconds: number): void {
    this.#callOff();
    if (!this.#isOpen) return;
    this.#callOff = this.#options.environment.after(milliseconds, () => {
      if (milliseconds >= this.#options.deafMs) this.#options.afterLongWait?.();
      this.wake();
    });
  }
}
