import { setTimeout as wait } from 'node:timers/promises';

/** How much is sent at once while the bandwidth is limited. */
const SLICE_BYTES = 64 * 1024;

/** Delays bytes so that a process passes on no more per second than allowed. */
export class Bandwidth {
  readonly #bytesPerSecond: number | null;
  #freeAt = 0;

  constructor(megabytesPerSecond: number | null) {
    this.#bytesPerSecond = megabytesPerSecond === null ? null : megabytesPerSecond * 1_000_000;
  }

  /** Yields the bytes in slices, each as soon as the slices before it fit into the limit. */
  async *pace(bytes: Buffer, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const size = this.#bytesPerSecond === null ? bytes.length : SLICE_BYTES;
    for (let at = 0; at < bytes.length; at += size) {
      const slice = bytes.subarray(at, at + size);
      await this.#take(slice.length, signal);
      yield slice;
    }
  }

  async #take(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === null) return;
    const now = performance.now();
    const startsAt = Math.max(now, this.#freeAt);
    this.#freeAt = startsAt + (bytes / this.#bytesPerSecond) * 1000;
    if (startsAt > now) await wait(startsAt - now, undefined, signal === undefined ? {} : { signal });
  }
}
