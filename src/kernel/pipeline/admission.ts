/** Everything that is decided before the body is read, in the order of the conventions. */
import type { Exchange, Stage } from '../exchange.ts';
import type { Services } from '../services.ts';
import { allowlist } from './allowlist.ts';
import { clientAddressStage } from './client-address.ts';
import { key } from './key.ts';
import { permission } from './permission.ts';
import { rateLimit } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { route } from './route.ts';

const stages: readonly Stage[] = [
  requestId,
  clientAddressStage,
  rateLimit,
  route,
  key,
  allowlist,
  permission,
];

/** Runs on without a promise as long as no stage needs one. */
export function admit(exchange: Exchange, services: Services, from = 0): void | Promise<void> {
  for (let i = from; i < stages.length; i++) {
    const waiting = stages[i]?.(exchange, services);
    if (waiting instanceof Promise) return waiting.then(() => admit(exchange, services, i + 1));
  }
}
