import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { gatewayOf, usableIn } from './addresses.ts';
import { networks } from './resource.ts';
import { MOST_IN_USE, type Network } from './schema.ts';
import type { AddressInUse } from './store.ts';
import type { NetworkRow } from './table.ts';

export function presentNetwork(
  row: NetworkRow & { readonly ipv4_used: number },
  operation: StoredOperation | undefined,
  baseUrl: string,
): Network {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    status_reason: row.status_reason,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    location: row.location,
    ipv4_cidr: row.ipv4_cidr,
    ipv4_gateway: gatewayOf(row.ipv4_cidr),
    ipv6_cidr: row.ipv6_cidr,
    nat: row.nat,
    dns: { servers: [...row.dns.servers], domain: row.dns.domain },
    mtu: row.mtu,
    routes: [...row.routes],
    addresses: { ipv4_total: Number(usableIn(row.ipv4_cidr)), ipv4_used: row.ipv4_used },
    protection: { delete: row.protected },
    etag: networks.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}

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
