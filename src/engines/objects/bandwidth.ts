import { setTimeout as wait } from 'node:timers/promises';

/** Delays writes so that a process sends no more bytes per second than allowed. */
export class Bandwidth {
  readonly #bytesPerSecond: number | null;
  #freeAt = 0;

  constructor(megabytesPerSecond: number | null) {
    this.#bytesPerSecond = megabytesPerSecond === null ? null : megabytesPerSecond * 1_000_000;
  }

  /** Waits until the bytes that were sent before fit into the limit. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === null) return;
    const now = performance.now();
    const startsAt = Math.max(now, this.#freeAt);
    this.#freeAt = startsAt + (bytes / this.#bytesPerSecond) * 1000;
    if (startsAt > now) await wait(startsAt - now, undefined, signal === undefined ? {} : { signal });
  }
}
