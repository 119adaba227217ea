/** For tests whose calls all come from one address: the real rate limit would refuse some of them. */
import { LIMIT, type RateLimitStore, verdict } from '../kernel/rate-limit/port.ts';

export const noLimit: RateLimitStore = {
  take: () => verdict(true, LIMIT, 1, 1_000),
  peek: () => verdict(true, LIMIT, 0, 0),
  status: () => ({ store: 'memory', degraded: false, addresses: 0 }),
  close: async () => undefined,
};
