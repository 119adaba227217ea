/**
 * The rate limit over all processes, counted exactly in Redis or Valkey. While the store is unreachable or takes longer
 * than 50 ms, each process counts alone with its share of the limit: 200 / processes that answer API requests now. This
 * is stricter for a client that reaches only one of several processes, but never unlimited.
 *
 * A process also remembers what it let pass itself. So one process alone never lets more than 200 pass in a minute, and
 * exactly 200 if it is the only one, also in the minute in which the store is lost or comes back. With several
 * processes, a client may get up to 200 from each in the minute after the store is back.
 */
import { Redis } from 'ioredis';
import { MemoryRateLimit } from './memory.ts';
import {
  LIMIT,
  type RateLimitResult,
  type RateLimitStatus,
  type RateLimitStore,
  rateLimitResult,
  WINDOW_MS,
} from './port.ts';
import { countScript, runScript } from './redis-scripts.ts';

export type RateLimitAlarm =
  | { readonly kind: 'lost'; readonly reason: string; readonly localLimit: number }
  | { readonly kind: 'recovered'; readonly outageSeconds: number };

export interface RedisRateLimitOptions {
  readonly url: string;
  readonly prefix?: string;
  /**
   * How many processes share the limit now, with this one. Asked at start, every ten seconds, when the store is lost,
   * and once a second until it is back. If there is no answer, the last one counts.
   */
  readonly countProcesses?: () => Promise<number>;
  /** How often the processes are counted while the store answers. */
  readonly recountEveryMs?: number;
  /** A store that takes longer to answer counts as lost. */
  readonly answerWithinMs?: number;
  /** Called once when the store is lost and once when it is back. */
  readonly onAlarm?: (alarm: RateLimitAlarm) => void;
  /** The clock of the local count. The shared count uses the store's clock. */
  readonly now?: () => number;
}

const RETRY_EVERY_MS = 500;
const RECOUNT_EVERY_MS = 1000;
/** A flood may keep the database busy when the store is lost. Then the last count is used, so it must not be old. */
const RECOUNT_WHILE_SHARED_MS = 10_000;
const DEAD_AFTER_MS = 2000;
/** Above this number of addresses, new ones are not remembered while the store counts them. */
const MOST_REMEMBERED = 100_000;

export class RedisRateLimit implements RateLimitStore {
  readonly #redis: Redis;
  readonly #local: MemoryRateLimit;
  readonly #prefix: string;
  readonly #countProcesses: () => Promise<number>;
  readonly #answerWithinMs: number;
  readonly #onAlarm: (alarm: RateLimitAlarm) => void;
  #state: 'shared' | 'local' | 'closed' = 'shared';
  #lostAt = 0;
  #processes = 1;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** Set while the first count after the loss of the store is under way. */
  #recount: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #recounting: NodeJS.Timeout;

  constructor(options: RedisRateLimitOptions) {
    this.#prefix = options.prefix ?? 'hostplane:rate:';
    this.#countProcesses = options.countProcesses ?? (async () => 1);
    this.#answerWithinMs = options.answerWithinMs ?? 50;
    this.#onAlarm = options.onAlarm ?? (() => {});
    this.#local = new MemoryRateLimit(options.now ? { now: options.now } : {});
    this.#redis = new Redis(options.url, {
      lazyConnect: true,
      enableReadyCheck: false,
      // A request that was counted locally must not be counted again after a reconnect.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RETRY_EVERY_MS,
      connectTimeout: DEAD_AFTER_MS,
      socketTimeout: DEAD_AFTER_MS,
    });
    this.#redis.on('error', (error: Error) => this.#lose(error.message));
    this.#redis.on('close', () => this.#lose('the connection was closed'));
    this.#recounting = setInterval(
      () => void this.#recountIfShared(),
      options.recountEveryMs ?? RECOUNT_WHILE_SHARED_MS,
    );
    this.#recounting.unref();
    void this.#probe();
  }

  take(key: string): RateLimitResult | Promise<RateLimitResult> {
    return this.#state === 'shared' ? this.#takeShared(key) : this.#alone('take', key);
  }

  peek(key: string): RateLimitResult | Promise<RateLimitResult> {
    return this.#state === 'shared' ? this.#peekShared(key) : this.#alone('peek', key);
  }

  status(): RateLimitStatus {
    const { addresses } = this.#local.status();
    return { store: 'redis', degraded: this.#state !== 'shared', addresses };
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    clearInterval(this.#recounting);
    this.#redis.disconnect();
    await this.#local.close();
  }

  async #takeShared(key: string): Promise<RateLimitResult> {
    const before = this.#local.peek(key);
    if (!before.allowed) return before;
    const shared = await this.#count(key, 'take');
    if (shared === undefined) return this.#alone('take', key);
    if (!shared.allowed || !this.#remembers(before)) return shared;
    return stricter(shared, this.#local.take(key));
  }

  async #peekShared(key: string): Promise<RateLimitResult> {
    const shared = await this.#count(key, 'peek');
    return shared === undefined ? this.#alone('peek', key) : stricter(shared, this.#local.peek(key));
  }

  #remembers(before: RateLimitResult): boolean {
    return before.remaining < LIMIT || this.#local.status().addresses < MOST_REMEMBERED;
  }

  #alone(mode: 'take' | 'peek', key: string): RateLimitResult | Promise<RateLimitResult> {
    const count = () => this.#local[mode](key, this.#localLimit());
    return this.#recount === undefined ? count() : this.#recount.then(count);
  }

  /** `undefined` if no valid answer came in time. The store is then already marked as lost. */
  async #count(key: string, mode: 'take' | 'peek'): Promise<RateLimitResult | undefined> {
    const args = [WINDOW_MS, LIMIT, mode];
    const reply = await this.#ask(() =>
      runScript(this.#redis, countScript, `${this.#prefix}ip:${key}`, args),
    );
    if (reply === undefined) return undefined;
    const [allowed, counted, msLeft] = reply as [number, number, number];
    return rateLimitResult(allowed === 1, LIMIT, counted, msLeft);
  }

  /** Call it at start, when this process can be counted. Resolves when the processes are counted, or cannot be. */
  async countSharers(): Promise<void> {
    this.#countedAt = performance.now();
    try {
      this.#processes = Math.max(1, await this.#countProcesses());
    } catch {
      // The last count stays in use.
    }
  }

  async #recountIfShared(): Promise<void> {
    if (this.#state === 'shared') await this.countSharers();
  }

  /** Connects at start, and looks for the store while it is lost. */
  async #probe(): Promise<void> {
    if ((await this.#ask(() => this.#redis.ping())) !== undefined) this.#recover();
    if (this.#state !== 'local') return;
    if (performance.now() - this.#countedAt >= RECOUNT_EVERY_MS) void this.countSharers();
    this.#probeLater();
  }

  #probeLater(): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'local') return;
    this.#timer = setTimeout(() => void this.#probe(), RETRY_EVERY_MS);
    this.#timer.unref();
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await answerInTime(this.#answerWithinMs, question());
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #lose(reason: string): void {
    if (this.#state !== 'shared') return;
    this.#state = 'local';
    this.#lostAt = performance.now();
    this.#probeLater();
    const counted = () => {
      this.#recount = undefined;
      this.#raise({ kind: 'lost', reason, localLimit: this.#localLimit() });
    };
    this.#recount = answerInTime(this.#answerWithinMs, this.countSharers()).then(counted, counted);
  }

  #recover(): void {
    if (this.#state !== 'local') return;
    this.#state = 'shared';
    this.#raise({ kind: 'recovered', outageSeconds: (performance.now() - this.#lostAt) / 1000 });
  }

  #raise(alarm: RateLimitAlarm): void {
    try {
      this.#onAlarm(alarm);
    } catch {
      // A request must get its result even if the alarm fails.
    }
  }

  #localLimit(): number {
    return Math.max(1, Math.floor(LIMIT / this.#processes));
  }
}

/** A refusal, or else the result that leaves fewer requests. */
function stricter(one: RateLimitResult, other: RateLimitResult): RateLimitResult {
  if (one.allowed !== other.allowed) return one.allowed ? other : one;
  return other.remaining < one.remaining ? other : one;
}

/**
 * When the time is over, pending input is read first: if this process was busy, the answer may already be in the
 * socket, and the store was not slow.
 */
function answerInTime<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
