/**
 * The configuration of a machine without one of its ephemeral addresses, for its price. Reserved addresses have
 * their own price, attached or not.
 */
import type { PublicAddressRow } from '../../../resources/addresses/store.ts';
import type { VmRow } from '../vms/table.ts';

export function withoutEphemeral(
  { configuration }: Pick<VmRow, 'configuration'>,
  { kind, block }: Pick<PublicAddressRow, 'kind' | 'block'>,
): Pick<VmRow, 'configuration'> {
  const isPaid = kind === 'ephemeral' && !block.includes(':');
  return { configuration: isPaid ? { ...configuration, public_ipv4: { mode: 'none' } } : configuration };
}
