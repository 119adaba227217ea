/**
 * One exact count over all processes. While the store cannot be reached, or takes longer than 50 ms, each process
 * counts by itself with its share of the limit, 200 / live processes: stricter for a client that reaches only one of
 * them, never open. In the minute around a change between the two a client may at worst get 200 from each side.
 *
 * Live processes are those that reported to the store in the last 15 s, as last seen (the larger of two reports, for
 * right after a restart of the store the first to report sees only itself), and never fewer than configured. Before the
 * first report two are assumed: nobody sets up a shared store for one.
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
  /** The least number of processes to share the limit with during an outage. */
  readonly processes?: number;
  /** A store that takes longer counts as lost. */
  readonly answerWithinMs?: number;
  /** Once when the store is lost, once when it is back. */
  readonly onAlarm?: (alarm: RateLimitAlarm) => void;
  /** The clock of the local count; the shared count has the store's. */
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
      // A request that was answered locally must not be counted again after a reconnect.
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

  /** `undefined` when there was no good answer in time; the loss is then already known. */
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
      // A request must get its verdict even if nobody could be told.
    }
  }

  #localLimit(): number {
    const processes = Math.max(this.#configuredProcesses, this.#liveProcesses);
    return Math.max(1, Math.floor(LIMIT / processes));
  }
}

/**
 * The deadline is checked once more after pending input was read: if this process was busy until then, the answer may
 * be waiting in the socket, and the store is not to blame.
 */
function answerInTime<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
