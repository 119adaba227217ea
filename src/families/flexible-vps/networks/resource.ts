import { Owned } from '../../../resources/owned/owned.ts';

export const networks = new Owned({
  type: 'network',
  idPrefix: 'net',
  table: 'vps_networks',
  permission: 'flexible-vps:networks:read',
  path: '/flexible-vps/v1/networks/{id}',
  limit: 'flexible-vps.networks',
  loses: 'The address range, and the private connections of its machines.',
  events: {
    created: { when: 'A private network is ready.', says: 'is ready' },
    updated: { when: 'A private network was changed.', says: 'was changed' },
    deleted: { when: 'A private network was deleted.', says: 'was deleted' },
    lost: {
      severity: 'error',
      when: 'A private network can no longer be found.',
      says: 'can no longer be found',
    },
    recovered: { when: 'A private network that was lost was found again.', says: 'was found again' },
  },
  inventory: ({ status, location }) => ({ status, location }),
});
