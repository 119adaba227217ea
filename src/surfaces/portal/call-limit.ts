/** Counts the calls of each session, or of each address without one, and allows 600 a minute. */
export const MOST_CALLS = 600;
const WINDOW_MS = 60_000;

export class CallLimit {
  #counts = new Map<string, number>();
  #since = 0;

  /** Returns 0 if the call is allowed, otherwise the seconds until the next one is. */
  take(key: string, now: number = Date.now()): number {
    if (now - this.#since >= WINDOW_MS) {
      this.#counts = new Map();
      this.#since = now;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count > MOST_CALLS) return Math.max(1, Math.ceil((this.#since + WINDOW_MS - now) / 1000));
    this.#counts.set(key, count);
    return 0;
  }

  /** How many calls are allowed until the window ends. */
  left(key: string): number {
    return MOST_CALLS - (this.#counts.get(key) ?? 0);
  }

  /** Seconds until all calls are allowed again. */
  resetSeconds(now: number = Date.now()): number {
    return Math.max(1, Math.ceil((this.#since + WINDOW_MS - now) / 1000));
  }
}
