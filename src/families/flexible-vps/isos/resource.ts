import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';

export const isos = new Owned({
  type: 'iso',
  idPrefix: 'iso',
  table: 'vps_isos',
  permission: 'flexible-vps:isos:read',
  path: '/flexible-vps/v1/isos/{id}',
  limit: 'flexible-vps.isos',
  words: 'ISO',
  loses: 'The file: no machine can boot from it any more.',
  events: {
    available: { when: 'An ISO is ready.', says: 'is ready' },
    deleted: { when: 'An ISO was deleted.', says: 'was deleted' },
    failed: {
      severity: 'error',
      when: 'An ISO could not be imported or deleted. It is kept for 7 days with the reason, unless its creation had `on_failure=delete`.',
    },
  },
  // Billed once, by its size, no matter how many locations have it.
  inventory: ({ status, locations, size_bytes }) => ({
    status,
    location: locations[0] ?? null,
    configuration: status === 'available' ? { location: locations[0], size_gb: inGb(size_bytes ?? 0) } : null,
  }),
});
