/**
 * Rows that nobody waits for: collected in memory, folded, written in batches. Bounded, so that a flood costs rows
 * and never memory or the speed of an answer; what could not be taken is counted. A crash loses what was not
 * written yet, so nothing that was acknowledged may pass through here.
 */
export interface WriteBehindOptions<V> {
  readonly capacity: number;
  readonly intervalMs: number;
  /** Two values of one key become one; left out: the newer one stands. */
  readonly fold?: (kept: V, next: V) => V;
  write(values: readonly V[]): Promise<void>;
  dropped?(value: V): void;
  failed(error: unknown): void;
}

export class WriteBehind<V> {
  readonly #options: WriteBehindOptions<V>;
  #waiting = new Map<string, V>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: WriteBehindOptions<V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#options.capacity;
  }

  /** What waits under the key, to be changed in place where making another value would be the costlier way. */
  get(key: string): V | undefined {
    return this.#waiting.get(key);
  }

  push(key: string, value: V): void {
    const kept = this.#waiting.get(key);
    if (kept !== undefined) {
      this.#waiting.set(key, this.#fold(kept, value));
      return;
    }
    if (this.#waiting.size >= this.#options.capacity) {
      this.#options.dropped?.(value);
      return;
    }
    this.#waiting.set(key, value);
    this.#schedule();
  }

  /** Writes all that was pushed before the call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const batch = this.#waiting;
    this.#waiting = new Map();
    try {
      await this.#options.write([...batch.values()]);
    } catch (error) {
      this.#options.failed(error);
      for (const [key, value] of batch) {
        const newer = this.#waiting.get(key);
        if (newer !== undefined) this.#waiting.set(key, this.#fold(value, newer));
        else if (this.#waiting.size < this.#options.capacity) this.#waiting.set(key, value);
        else this.#options.dropped?.(value);
      }
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #fold(kept: V, next: V): V {
    return this.#options.fold?.(kept, next) ?? next;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => void this.flush(), this.#options.intervalMs);
    this.#timer.unref();
  }
}
