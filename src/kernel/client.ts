import type { Address } from './net/address.ts';
import type { Verdict } from './rate-limit/port.ts';

/** The origin of a request, as handlers see it. */
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
