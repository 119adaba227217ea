/** For tests whose calls all come from one address: the real rate limit would refuse some of them. */
import { LIMIT, type RateLimitStore, rateLimitResult } from '../kernel/rate-limit/port.ts';

export const noLimit: RateLimitStore = {
  take: () => rateLimitResult(true, LIMIT, 1, 1_000),
  peek: () => rateLimitResult(true, LIMIT, 0, 0),
  status: () => ({ store: 'memory', degraded: false, addresses: 0 }),
  close: async () => undefined,
};
