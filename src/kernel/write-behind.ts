/**
 * A queue for rows that no answer waits for: it collects them in memory, folds them and writes them in batches. Its
 * capacity is limited, so a flood loses rows but costs neither memory nor response time; dropped rows are reported.
 * A crash loses unwritten rows, so never use it for rows that an answer has acknowledged.
 */
export interface WriteBehindOptions<V> {
  readonly capacity: number;
  readonly intervalMs: number;
  /** Merges two values of the same key. Without it the newer value replaces the older one. */
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

  /** The unwritten value of the key. It may be changed in place, which is cheaper than pushing another value. */
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

  /** Writes all values that were pushed before the call. */
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
