/** Optional capabilities of drivers. Each port lists its own; a driver declares for each whether it supports it. */
import { CapabilityMissing } from './errors.ts';

/** `true` if the driver supports the capability, otherwise the reason why not, written for the customer. */
export type Capability = true | string;

export function refuseMissingCapability<C extends { readonly [name in keyof C]: Capability }>(
  capabilities: C,
  name: keyof C & string,
): void {
  const reason: Capability = capabilities[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}
