import { exampleOf } from '../../../kernel/examples.ts';
import { view } from '../../../resources/records/records.ts';
import { plainAddress } from '../vpn-gateways/present.ts';
import { vpnGateways } from '../vpn-gateways/resource.ts';
import { vpnPeers } from './resource.ts';
import { VpnPeer } from './schema.ts';

export const peerView = view(vpnPeers, {
  schema: VpnPeer,
  path: '/flexible-vps/v1/vpn-gateways/{id}/peers',
  parent: { of: vpnGateways, column: 'gateway_id', param: 'peer_id' },
  example: exampleOf(VpnPeer, {
    name: 'laptop',
    labels: {},
    public_key: 'xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=',
    key_source: 'generated',
    private_key_available_until: '2026-03-02T10:00:00.000Z',
    preshared_key_set: true,
    tunnel_ipv4: '100.96.0.2',
    tunnel_ipv6: 'fd3f:91c2:77a0:6001::2',
    keepalive_seconds: 25,
    enabled: true,
    applied_at: '2026-03-01T10:00:00.000Z',
    rx_bytes: 0,
    tx_bytes: 0,
  }),
  compute(row, { now }) {
    const until = row.private_key === null ? null : row.private_key_available_until;
    return {
      private_key_available_until: until !== null && until > now ? until.toISOString() : null,
      preshared_key_set: row.preshared_key !== null,
      tunnel_ipv4: plainAddress(row.tunnel_ipv4),
      tunnel_ipv6: row.tunnel_ipv6 === null ? null : plainAddress(row.tunnel_ipv6),
    };
  },
});
export const examplePeer = peerView.example;
