import type { Address } from './net/address.ts';
import type { RateLimitResult } from './rate-limit/port.ts';

/** The origin of a request, as handlers see it. */
export interface ClientView {
  readonly address: Address;
  readonly rateLimitKey: string;
  readonly rate: RateLimitResult;
  readonly userAgent: string;
}

/** The same with a writable result, because the rate-limit stage of the pipeline sets it. */
export interface Client extends ClientView {
  rate: RateLimitResult;
}
