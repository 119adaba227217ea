import { Owned } from '../../../resources/owned/owned.ts';

/** Peers are parts of gateways, so they are not in the inventory. */
export const vpnPeers = new Owned({
  type: 'vpn_peer',
  idPrefix: 'peer',
  table: 'vpn_peers',
  words: 'VPN peer',
  subject: 'The VPN peer',
  loses: 'The access of this VPN peer.',
  permission: 'flexible-vps:vpn-peers:read',
  pricedAs: 'vpn_gateway',
  events: {
    created: { when: 'A peer was added to a VPN gateway.', says: 'was added' },
    updated: { when: 'A peer of a VPN gateway was changed.', says: 'was changed' },
    deleted: { when: 'A peer was removed from its VPN gateway.', says: 'was removed' },
    expired: {
      severity: 'warning',
      when: 'The time of a VPN peer is over: it is disabled.',
      says: 'has expired and is disabled',
    },
  },
});
