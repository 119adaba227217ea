import type { Address } from './net/address.ts';
import type { Verdict } from './rate-limit/port.ts';

/** Where a request comes from, as handlers see it. */
export interface ClientView {
  readonly address: Address;
  readonly rateLimitKey: string;
  readonly rate: Verdict;
  readonly userAgent: string;
}

/** The same with a writable verdict, because the rate-limit stage of the pipeline sets it. */
export interface Client extends ClientView {
  rate: Verdict;
}
