/** What a machine costs without an address that is part of it. Reserved ones have a price of their own, wherever they are. */
import type { PublicAddressRow } from '../../../resources/addresses/store.ts';
import type { VmRow } from '../vms/table.ts';

export function withoutEphemeral(
  { configuration }: Pick<VmRow, 'configuration'>,
  { kind, block }: Pick<PublicAddressRow, 'kind' | 'block'>,
): Pick<VmRow, 'configuration'> {
  const isPaid = kind === 'ephemeral' && !block.includes(':');
  return { configuration: isPaid ? { ...configuration, public_ipv4: { mode: 'none' } } : configuration };
}
