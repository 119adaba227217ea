import type { Exchange, Stage } from '../kernel/exchange.ts';
import type { Refused } from '../kernel/problems/problem.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { LIMIT, type RateLimitResult, WINDOW_MS } from '../kernel/rate-limit/port.ts';

const POLICY = `"ip";q=${LIMIT};w=${WINDOW_MS / 1000}`;

function apply(exchange: Exchange, rate: RateLimitResult): Refused {
  exchange.client.rate = rate;
  exchange.headers['ratelimit-policy'] = POLICY;
  exchange.headers['ratelimit'] = `"ip";r=${rate.remaining};t=${rate.resetSeconds}`;
  if (rate.allowed) return undefined;
  return new Problem('rate_limited', {
    detail: `More than ${rate.limit} requests came from ${exchange.client.rateLimitKey} within 60 seconds.`,
    retryAfterSeconds: rate.retryAfterSeconds,
  });
}

/** Runs before the key is read, so that a 429 reveals nothing about keys. */
export const rateLimit: Stage = (exchange, services) => {
  const result = services.limiter.take(exchange.client.rateLimitKey);
  return result instanceof Promise ? result.then((rate) => apply(exchange, rate)) : apply(exchange, result);
};
