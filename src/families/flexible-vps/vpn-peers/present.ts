import { plainAddress } from '../vpn-gateways/present.ts';
import { vpnPeers } from './resource.ts';
import type { VpnPeer } from './schema.ts';
import type { VpnPeerRow } from './table.ts';

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null;

export function presentPeer(row: VpnPeerRow, now: Date): VpnPeer {
  const until = row.private_key === null ? null : row.private_key_available_until;
  return {
    id: row.id,
    name: row.name,
    labels: row.labels,
    gateway_id: row.gateway_id,
    kind: row.kind,
    public_key: row.public_key,
    key_source: row.key_source,
    private_key_available_until: until !== null && until > now ? timeOf(until) : null,
    preshared_key_set: row.preshared_key !== null,
    tunnel_ipv4: plainAddress(row.tunnel_ipv4),
    tunnel_ipv6: row.tunnel_ipv6 === null ? null : plainAddress(row.tunnel_ipv6),
    routed_cidrs: [...row.routed_cidrs],
    endpoint: row.endpoint,
    keepalive_seconds: row.keepalive_seconds,
    enabled: row.enabled,
    expires_at: timeOf(row.expires_at),
    applied_at: timeOf(row.applied_at),
    config_changed_at: row.config_changed_at.toISOString(),
    last_handshake_at: timeOf(row.last_handshake_at),
    rx_bytes: row.rx_bytes,
    tx_bytes: row.tx_bytes,
    etag: vpnPeers.etag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
