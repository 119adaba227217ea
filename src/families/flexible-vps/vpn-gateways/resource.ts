import { Owned } from '../../../resources/owned/owned.ts';
import { vpnGatewayLife } from './lifecycle.ts';

export const vpnGateways = new Owned({
  type: 'vpn_gateway',
  idPrefix: 'vpn',
  table: 'vpn_gateways',
  words: 'VPN gateway',
  subject: 'The VPN gateway',
  loses: 'The VPN gateway and all its peers.',
  permission: 'flexible-vps:vpn-gateways:read',
  path: '/flexible-vps/v1/vpn-gateways/{id}',
  limit: 'flexible-vps.vpn-gateways',
  events: {
    created: { when: 'A VPN gateway is ready.', says: 'is ready' },
    updated: { when: 'A VPN gateway was changed.', says: 'was changed' },
    deleted: { when: 'A VPN gateway was deleted, together with its peers.', says: 'was deleted' },
  },
  inventory: ({ status, location, provisioned_at }) => ({
    status,
    location,
    configuration: provisioned_at === null || status === 'error' ? null : { location },
    keepsPrice: provisioned_at !== null && vpnGatewayLife.transitional.includes(status),
  }),
});
