/**
 * The rate limit over all processes, counted exactly in Redis or Valkey. While the store is unreachable or takes longer
 * than 50 ms, each process counts alone with its share of the limit, 200 / live processes. This is stricter for a
 * client that reaches only one process, but never unlimited. In the minute around a switch, a client may get 200 from
 * each side.
 *
 * Live processes are those that sent a heartbeat in the last 15 s. The larger of the last two counts is used, because
 * after a restart of the store the first process sees only itself. The count is never below the configured number.
 * Before the first heartbeat, two processes are assumed, because a shared store makes no sense for one.
 */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { MemoryRateLimit } from './memory.ts';
import {
  LIMIT,
  type RateLimitStatus,
  type RateLimitStore,
  type Verdict,
  verdict,
  WINDOW_MS,
} from './port.ts';
import { countScript, heartbeatScript, runScript, type Script } from './redis-scripts.ts';

export type RateLimitAlarm =
  | { readonly kind: 'lost'; readonly reason: string; readonly localLimit: number }
  | { readonly kind: 'recovered'; readonly outageSeconds: number };

export interface RedisRateLimitOptions {
  readonly url: string;
  readonly prefix?: string;
  /** The lowest number of processes to divide the limit by during an outage. */
  readonly processes?: number;
  /** A store that takes longer to answer counts as lost. */
  readonly answerWithinMs?: number;
  /** Called once when the store is lost and once when it is back. */
  readonly onAlarm?: (alarm: RateLimitAlarm) => void;
  /** The clock of the local count. The shared count uses the store's clock. */
  readonly now?: () => number;
}

const HEARTBEAT_EVERY_MS = 5000;
const PROCESS_LIFETIME_MS = 3 * HEARTBEAT_EVERY_MS;
const RETRY_EVERY_MS = 500;
const DEAD_AFTER_MS = 2000;

export class RedisRateLimit implements RateLimitStore {
  readonly #redis: Redis;
  readonly #local: MemoryRateLimit;
  readonly #prefix: string;
  readonly #processId = randomUUID();
  readonly #configuredProcesses: number;
  readonly #answerWithinMs: number;
  readonly #onAlarm: (alarm: RateLimitAlarm) => void;
  #state: 'shared' | 'local' | 'closed' = 'shared';
  #lostAt = 0;
  #reported = 2;
  #liveProcesses = 2;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RedisRateLimitOptions) {
    this.#prefix = options.prefix ?? 'hostplane:rate:';
    this.#configuredProcesses = options.processes ?? 1;
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
    void this.#report();
  }

  take(key: string): Verdict | Promise<Verdict> {
    return this.#state === 'shared' ? this.#count(key, 'take') : this.#local.take(key, this.#localLimit());
  }

  peek(key: string): Verdict | Promise<Verdict> {
    return this.#state === 'shared' ? this.#count(key, 'peek') : this.#local.peek(key, this.#localLimit());
  }

  status(): RateLimitStatus {
    const { addresses } = this.#local.status();
    return { store: 'redis', degraded: this.#state !== 'shared', addresses };
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    this.#redis.disconnect();
    await this.#local.close();
  }

  async #count(key: string, mode: 'take' | 'peek'): Promise<Verdict> {
    const reply = await this.#ask(countScript, `${this.#prefix}ip:${key}`, [WINDOW_MS, LIMIT, mode]);
    if (reply === undefined) return this.#local[mode](key, this.#localLimit());
    const [allowed, counted, msLeft] = reply as [number, number, number];
    return verdict(allowed === 1, LIMIT, counted, msLeft);
  }

  async #report(): Promise<void> {
    const args = [this.#processId, PROCESS_LIFETIME_MS];
    const reply = await this.#ask(heartbeatScript, `${this.#prefix}processes`, args);
    if (reply !== undefined) {
      const alive = reply as number;
      this.#liveProcesses = Math.max(alive, this.#reported);
      this.#reported = alive;
      this.#recover();
    }
    this.#reportIn(this.#state === 'shared' ? HEARTBEAT_EVERY_MS : RETRY_EVERY_MS);
  }

  #reportIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#state === 'closed') return;
    this.#timer = setTimeout(() => void this.#report(), milliseconds);
    this.#timer.unref();
  }

  /** `undefined` if no valid answer came in time. The store is then already marked as lost. */
  async #ask(script: Script, key: string, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await answerInTime(this.#answerWithinMs, runScript(this.#redis, script, key, args));
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #lose(reason: string): void {
    if (this.#state !== 'shared') return;
    this.#state = 'local';
    this.#lostAt = performance.now();
    this.#reportIn(RETRY_EVERY_MS);
    this.#raise({ kind: 'lost', reason, localLimit: this.#localLimit() });
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
      // A request must get its verdict even if the alarm fails.
    }
  }

  #localLimit(): number {
    const processes = Math.max(this.#configuredProcesses, this.#liveProcesses);
    return Math.max(1, Math.floor(LIMIT / processes));
  }
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
