/**
 * The rate limit in the memory of this process. An address is removed only when all its requests are older than the
 * window, because removing it earlier would allow another 200 requests. If the table is full of live addresses (a
 * million within a minute, which is an attack), new addresses share a few thousand logs by hash until there is room.
 * So they are neither uncounted nor all refused, no address exceeds 200, and addresses with their own log notice
 * nothing.
 */
import { LogTable } from './log-table.ts';
import {
  LIMIT,
  type RateLimitResult,
  type RateLimitStatus,
  type RateLimitStore,
  rateLimitResult,
  WINDOW_MS,
} from './port.ts';

export interface MemoryOptions {
  /** A monotonic clock in milliseconds; only differences matter. */
  readonly now?: () => number;
  readonly maxAddresses?: number;
  /** The number of logs that new addresses share while the table is full. */
  readonly sharedLogs?: number;
}

const SWEEP_EVERY_MS = 1000;
const SWEPT_AT_ONCE = 20_000;

export class MemoryRateLimit implements RateLimitStore {
  readonly #clock: () => number;
  readonly #maxAddresses: number;
  readonly #sharedLogs: number;
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  readonly #sweeper: NodeJS.Timeout;
  #table = new LogTable();
  #logs = new Map<string, number>();
  #keys: string[] = [];
  #sharedInUse = 0;
  #now = 0;

  constructor(options: MemoryOptions = {}) {
    this.#clock = options.now ?? (() => performance.now());
    this.#maxAddresses = options.maxAddresses ?? 1_000_000;
    this.#sharedLogs = options.sharedLogs ?? 4096;
    this.#now = Math.floor(this.#clock());
    this.#sweeper = setInterval(() => this.#forgetIdle(this.#readClock(), SWEPT_AT_ONCE), SWEEP_EVERY_MS);
    this.#sweeper.unref();
  }

  take(key: string, limit: number = LIMIT): RateLimitResult {
    const now = this.#readClock();
    this.#forgetIdle(now, 2);
    const log = this.#logs.get(key) ?? this.#admit(key, now);
    this.#forgetExpired(log, now);
    const counted = this.#table.count(log);
    const allowed = counted < limit;
    if (allowed) this.#table.push(log, now);
    return this.#rateLimitResult(log, now, allowed, limit);
  }

  peek(key: string, limit: number = LIMIT): RateLimitResult {
    const now = this.#readClock();
    const log = this.#logs.get(key) ?? this.#sharedLog(key, now);
    if (log === undefined) return rateLimitResult(true, limit, 0, 0);
    this.#forgetExpired(log, now);
    return this.#rateLimitResult(log, now, this.#table.count(log) < limit, limit);
  }

  status(): RateLimitStatus {
    return { store: 'memory', degraded: false, addresses: this.#logs.size };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
  }

  #rateLimitResult(log: number, now: number, allowed: boolean, limit: number): RateLimitResult {
    const counted = this.#table.count(log);
    if (counted === 0) return rateLimitResult(allowed, limit, 0, 0);
    const nextToLeave = Math.max(0, counted - limit);
    const msLeft = WINDOW_MS - age(now, this.#table.timeAt(log, nextToLeave));
    return rateLimitResult(allowed, limit, counted, msLeft);
  }

  /** Whole milliseconds that never go back, because the order of the logs depends on it. */
  #readClock(): number {
    const now = Math.floor(this.#clock());
    if (now - this.#now >= WINDOW_MS) this.#forgetAll();
    if (now > this.#now) this.#now = now;
    return this.#now;
  }

  /** Called after a pause as long as the window: no request counts any more, and 32-bit times must not wrap. */
  #forgetAll(): void {
    this.#table = new LogTable();
    this.#logs = new Map();
    this.#keys = [];
    this.#sharedInUse = 0;
  }

  #forgetExpired(log: number, now: number): void {
    const table = this.#table;
    while (table.count(log) > 0 && age(now, table.timeAt(log, 0)) >= WINDOW_MS) table.dropOldest(log);
  }

  #forgetIdle(now: number, atMost: number): void {
    for (let i = 0; i < atMost; i++) {
      const log = this.#table.stalest();
      if (log < 0 || this.#isLive(log, now)) return;
      const key = this.#keys[log]!;
      this.#logs.delete(key);
      this.#table.close(log);
      if (isSharedKey(key)) this.#sharedInUse--;
    }
  }

  #isLive(log: number, now: number): boolean {
    return (
      this.#table.count(log) > 0 && age(now, this.#table.timeAt(log, this.#table.count(log) - 1)) < WINDOW_MS
    );
  }

  #admit(key: string, now: number): number {
    const shared = this.#sharedLog(key, now);
    if (shared !== undefined) return shared;
    const isFull = this.#logs.size - this.#sharedInUse >= this.#maxAddresses;
    if (isFull) this.#sharedInUse++;
    return this.#open(isFull ? this.#sharedKey(key) : key);
  }

  #open(key: string): number {
    const log = this.#table.open();
    this.#keys[log] = key;
    this.#logs.set(key, log);
    return log;
  }

  /** An address that was counted in a shared log stays there while that log is live, even if there is room again. */
  #sharedLog(key: string, now: number): number | undefined {
    if (this.#sharedInUse === 0) return undefined;
    const log = this.#logs.get(this.#sharedKey(key));
    if (log === undefined) return undefined;
    const isFull = this.#logs.size - this.#sharedInUse >= this.#maxAddresses;
    return isFull || this.#isLive(log, now) ? log : undefined;
  }

  /** The hash is seeded, so that an attacker cannot compute which addresses share a log. */
  #sharedKey(key: string): string {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    return `*${((hash ^ (hash >>> 15)) >>> 0) % this.#sharedLogs}`;
  }
}

/** Both are milliseconds modulo 2^32. A log is never 24 days old, so the signed difference is correct. */
function age(now: number, time: number): number {
  return (now - time) | 0;
}

function isSharedKey(key: string): boolean {
  return key.charCodeAt(0) === 42;
}
