/**
 * 200 requests a minute for each address, counted exactly: a request passes if fewer than 200 passed in the 60 s
 * before it. Refused requests are not counted, or a hasty client would never get out. Whatever stands behind this
 * port answers every call: it may fall back to a stricter local count, never to none, and it never throws.
 */
export const LIMIT = 200;
export const WINDOW_MS = 60_000;

export interface Verdict {
  readonly allowed: boolean;
  /** The published policy; a degraded store may be stricter, never looser. */
  readonly limit: typeof LIMIT;
  readonly remaining: number;
  /** Whole seconds until `remaining` grows: at least 1 while anything is counted, else 0. */
  readonly resetSeconds: number;
  /** Whole seconds after which a lone client gets through; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

export interface RateLimitStatus {
  readonly store: 'memory' | 'redis';
  /** True while the count is not shared between processes although it should be. */
  readonly degraded: boolean;
  /** Addresses this process counts by itself. */
  readonly addresses: number;
}

export interface RateLimitStore {
  take(key: string): Verdict | Promise<Verdict>;
  /** The same verdict without counting, for answers that do not count. */
  peek(key: string): Verdict | Promise<Verdict>;
  status(): RateLimitStatus;
  close(): Promise<void>;
}

/** `counted` includes the request itself if it was taken; `msLeft` is until the next one leaves. */
export function verdict(allowed: boolean, limit: number, counted: number, msLeft: number): Verdict {
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
