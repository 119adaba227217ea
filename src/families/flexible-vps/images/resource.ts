import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';
import type { ImageRow } from './table.ts';

/** An image is billed once, by its size, no matter how many locations have a copy. */
export const configurationOf = ({ locations, size_bytes }: Pick<ImageRow, 'locations' | 'size_bytes'>) => ({
  location: locations[0],
  size_gb: inGb(size_bytes ?? 0),
});

export const images = new Owned({
  type: 'image',
  idPrefix: 'img',
  table: 'vps_images',
  permission: 'flexible-vps:images:read',
  path: '/flexible-vps/v1/images/{id}',
  limit: 'flexible-vps.images',
  loses:
    'No machine can be created from its data any more. Machines that were created from it stay as they are.',
  events: {
    available: { when: 'An image of the account is ready.', says: 'is ready' },
    deleted: { when: 'An image of the account was deleted.', says: 'was deleted' },
    failed: {
      severity: 'error',
      when: 'An image could not be created or deleted. It is kept for 7 days with the reason, unless its creation had `on_failure=delete`.',
    },
  },
  inventory: (row) => ({
    status: row.status,
    location: row.locations[0] ?? null,
    configuration: row.status === 'available' ? configurationOf(row) : null,
  }),
});
