import { view } from '../../../resources/records/records.ts';
import { gatewayOf, usableIn } from './addresses.ts';
import { networkExample } from './example.ts';
import { networks } from './resource.ts';
import { MOST_IN_USE, Network } from './schema.ts';
import { type AddressInUse, ipv4Used } from './store.ts';
import type { NetworkRow } from './table.ts';

export const networkView = view(networks, {
  schema: Network,
  example: networkExample,
  more: { ipv4_used: ipv4Used },
  compute: (row) => ({
    ipv4_gateway: gatewayOf(row.ipv4_cidr),
    addresses: { ipv4_total: Number(usableIn(row.ipv4_cidr)), ipv4_used: row.ipv4_used },
    protection: { delete: row.protected },
  }),
});

/** Of each IP version, the gateway comes before the other addresses. */
export function presentInUse(
  { id, ipv4_cidr, ipv6_cidr }: NetworkRow,
  held: readonly AddressInUse[],
): NonNullable<Network['in_use']> {
  const users = held.map(({ address, vm_id, interface_id, gateway_id }) => ({
    address,
    type: vm_id === null ? ('vpn_gateway' as const) : ('vm' as const),
    id: vm_id ?? gateway_id ?? '',
    interface_id,
  }));
  const gateway = (cidr: string) => ({
    address: gatewayOf(cidr),
    type: 'gateway' as const,
    id,
    interface_id: null,
  });
  const isOf4 = ({ address }: { address: string }): boolean => !address.includes(':');
  return [
    gateway(ipv4_cidr),
    ...users.filter(isOf4),
    ...(ipv6_cidr === null ? [] : [gateway(ipv6_cidr)]),
    ...users.filter((each) => !isOf4(each)),
  ].slice(0, MOST_IN_USE);
}
