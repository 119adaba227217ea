/**
 * The rate limit: 200 requests per minute and address, counted exactly. A request passes if fewer than 200 passed in
 * the 60 s before it. Refused requests do not count, or a client that retries too fast would never get through. A store
 * must answer every call: it may fall back to a stricter local count, but never to no count, and it never throws.
 */
export const LIMIT = 200;
export const WINDOW_MS = 60_000;

export interface RateLimitResult {
  readonly allowed: boolean;
  /** The published limit. A degraded store may be stricter, but never looser. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until `remaining` grows: at least 1 while any request counts, else 0. */
  readonly resetSeconds: number;
  /** Whole seconds after which the next request passes, if no other uses the address. 0 if this one was allowed. */
  readonly retryAfterSeconds: number;
}

export interface RateLimitStatus {
  readonly store: 'memory' | 'redis';
  /** True while each process counts alone although a shared store is configured. */
  readonly degraded: boolean;
  /** The number of addresses that this process counts in its own memory. */
  readonly addresses: number;
}

export interface RateLimitStore {
  take(key: string): RateLimitResult | Promise<RateLimitResult>;
  /** The same result without counting the request, for answers that do not count. */
  peek(key: string): RateLimitResult | Promise<RateLimitResult>;
  status(): RateLimitStatus;
  /** Counts the processes that share the limit. Called when this process can be counted. */
  countSharers?(): Promise<void>;
  close(): Promise<void>;
}

/** `counted` includes the request itself if it was allowed. After `msLeft`, the oldest counted request expires. */
export function rateLimitResult(
  allowed: boolean,
  limit: number,
  counted: number,
  msLeft: number,
): RateLimitResult {
  const resetSeconds = counted === 0 ? 0 : Math.max(1, Math.ceil(msLeft / 1000));
  return {
    allowed,
    limit: LIMIT,
    remaining: Math.max(0, limit - counted),
    resetSeconds,
    retryAfterSeconds: allowed ? 0 : resetSeconds,
  };
}

declare module '../services.ts' {
  interface Services {
    readonly limiter: RateLimitStore;
  }
}
