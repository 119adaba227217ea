import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { vpnGateways } from './resource.ts';
import type { VpnGateway } from './schema.ts';
import type { GatewayParts } from './store.ts';
import type { VpnGatewayRow } from './table.ts';

/** The database writes addresses with the length of their prefix. */
export const plainAddress = (inet: string): string => inet.split('/')[0] ?? inet;

export function presentGateway(
  row: VpnGatewayRow & GatewayParts,
  operation: StoredOperation | undefined,
  baseUrl: string,
): VpnGateway {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    status_reason: row.status_reason,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    location: row.location,
    network_ids: [...row.network_ids],
    endpoint: {
      ipv4: plainAddress(row.endpoint_ipv4),
      ipv6: row.endpoint_ipv6 === null ? null : plainAddress(row.endpoint_ipv6),
      port: row.port,
    },
    public_key: row.public_key,
    tunnel_ipv4_cidr: row.tunnel_ipv4_cidr,
    tunnel_ipv6_cidr: row.tunnel_ipv6_cidr,
    dns_servers: [...row.dns_servers],
    mtu: row.mtu,
    peer_count: row.peer_count,
    protection: { delete: row.protected },
    etag: vpnGateways.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
