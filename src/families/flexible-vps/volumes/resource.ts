import { Owned } from '../../../resources/owned/owned.ts';
import { volumeLife } from './lifecycle.ts';

export const volumes = new Owned({
  type: 'volume',
  idPrefix: 'vol',
  table: 'vps_volumes',
  permission: 'flexible-vps:volumes:read',
  path: '/flexible-vps/v1/volumes/{id}',
  limit: 'flexible-vps.volumes',
  loses: 'All data on the volume.',
  events: {
    created: { when: 'A volume is ready.', says: 'is ready' },
    updated: {
      when: 'The name, labels, description or protection of a volume was changed.',
      says: 'was changed',
    },
    attached: { when: 'A volume was attached to a machine.' },
    detached: { when: 'A volume was detached from a machine.' },
    resized: { when: 'A volume has grown.' },
    restored: { when: 'The content of a volume was put back to a snapshot.' },
    deleted: { when: 'A volume was deleted, together with its snapshots.', says: 'was deleted' },
    lost: { severity: 'error', when: 'A volume can no longer be found.', says: 'can no longer be found' },
    recovered: { when: 'A volume that was lost was found again.', says: 'was found again' },
  },
  // Billed from when it exists, whether a machine has it or not.
  inventory: ({ status, location, size_gb, tier, provisioned_at }) => ({
    status,
    location,
    configuration: provisioned_at === null || status === 'error' ? null : { location, size_gb, tier },
    keepsPrice: provisioned_at !== null && volumeLife.transitional.includes(status),
  }),
});
