/** Optional abilities of drivers. Each port lists its own; a driver says of each whether it has it. */
import { CapabilityMissing } from './errors.ts';

/** `true` where the driver has it, else the reason it is missing, written for the customer. */
export type Capability = true | string;

export function requireCapability<C extends { readonly [name in keyof C]: Capability }>(
  capabilities: C,
  name: keyof C & string,
): void {
  const reason: Capability = capabilities[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}
