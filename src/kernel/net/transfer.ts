/**
 * The time that a foreign server may take. A server can keep a connection open for as long as it likes by sending a
 * byte now and then, so silence is not the only limit: a transfer must also keep a least rate, and it has a total time.
 * Only the time of the server counts. While our own disk or bandwidth holds a transfer up, its clock stands still.
 */
export interface LeastRate {
  readonly bytesPerSecond: number;
  /** Every period of this length must have moved its bytes, so short interruptions do no harm. */
  readonly windowMs: number;
}

export interface TransferLimits {
  /** The longest time without a byte, from the beginning to the end. A first answer must be complete in this time. */
  readonly silenceMs?: number;
  readonly rate?: LeastRate;
  /** The whole transfer. If there is a rate, `expect` adds the time that the announced bytes take at this rate. */
  readonly totalMs: number;
}

/** Slow but honest servers reach this rate, also over a poor line; a server that only keeps us waiting does not. */
export const LEAST_RATE: LeastRate = { bytesPerSecond: 64 * 1024, windowMs: 60_000 };

/** Node fires timers that are longer than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class TooSlow extends Error {
  readonly limit: 'silence' | 'rate' | 'total';
  constructor(limit: TooSlow['limit']) {
    super(`the server is too slow: ${limit}`);
    this.name = 'TooSlow';
    this.limit = limit;
  }
}

export class Transfer {
  readonly #limits: TransferLimits;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #runningSince: number | null = performance.now();
  /** The server's time up to `#runningSince`. */
  #countedMs = 0;
  #totalMs: number;
  #movedAt = 0;
  /** Null until bytes are expected. */
  #windowFrom: number | null = null;
  #windowBytes = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
    this.#totalMs = limits.totalMs;
    this.#arm();
  }

  /** Aborted with a `TooSlow` when the server exceeds a limit. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** So many bytes follow, in either direction: from now on the least rate counts. `mostMs` bounds the total time. */
  expect(bytes: number, mostMs = Number.POSITIVE_INFINITY): void {
    const { rate } = this.#limits;
    if (rate === undefined) return;
    this.#totalMs = Math.min(this.#totalMs + (bytes / rate.bytesPerSecond) * 1000, mostMs);
    this.#windowFrom = this.#now();
    this.#windowBytes = 0;
    this.moved(0);
    this.#arm();
  }

  moved(bytes: number): void {
    this.#movedAt = this.#now();
    this.#windowBytes += bytes;
  }

  /** Stops the clock while the server waits for us. */
  pause(): void {
    this.#countedMs = this.#now();
    this.#runningSince = null;
  }

  resume(): void {
    this.#runningSince = performance.now();
    if (this.#timer === undefined) this.#arm();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#runningSince = null;
  }

  #now(): number {
    return this.#runningSince === null
      ? this.#countedMs
      : this.#countedMs + performance.now() - this.#runningSince;
  }

  /** The timer is not moved with every byte: when it fires, it looks how long it still has to wait. */
  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#runningSince === null || this.signal.aborted) return;
    const { silenceMs = Number.POSITIVE_INFINITY, rate } = this.#limits;
    const windowEnd =
      rate === undefined || this.#windowFrom === null
        ? Number.POSITIVE_INFINITY
        : this.#windowFrom + rate.windowMs;
    const next = Math.min(this.#movedAt + silenceMs, windowEnd, this.#totalMs);
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(1, next - this.#now()), LONGEST_TIMER_MS));
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#runningSince === null) return;
    const exceeded = this.#exceeded();
    if (exceeded === null) {
      this.#arm();
      return;
    }
    this.end();
    this.#controller.abort(new TooSlow(exceeded));
  }

  /** Also begins the next window if the last one is over and had enough bytes. */
  #exceeded(): TooSlow['limit'] | null {
    const { silenceMs = Number.POSITIVE_INFINITY, rate } = this.#limits;
    const now = this.#now();
    if (now >= this.#totalMs) return 'total';
    if (now - this.#movedAt >= silenceMs) return 'silence';
    if (rate === undefined || this.#windowFrom === null) return null;
    const spentMs = now - this.#windowFrom;
    if (spentMs < rate.windowMs) return null;
    if (this.#windowBytes < (spentMs / 1000) * rate.bytesPerSecond) return 'rate';
    this.#windowFrom = now;
    this.#windowBytes = 0;
    return null;
  }
}

/** Passes the bytes of a foreign server on. The clock of the transfer stands while the reader is not ready for more. */
export async function* readWithin(source: AsyncIterable<Buffer>, transfer: Transfer): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) {
      transfer.moved(chunk.length);
      transfer.pause();
      yield chunk;
      transfer.resume();
    }
  } finally {
    transfer.end();
  }
}
