import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';
import { readVolumeLocation } from './store.ts';

export const volumeSnapshots = new Owned({
  type: 'volume_snapshot',
  idPrefix: 'vsnap',
  table: 'volume_snapshots',
  permission: 'flexible-vps:volume-snapshots:read',
  // The snapshots of a volume are read from their list.
  path: '/flexible-vps/v1/volumes/{parent_id}/snapshots',
  pricedAs: 'snapshot',
  loses: 'What the volume held at that time can no longer be restored.',
  events: {
    created: { when: 'A snapshot of a volume is ready.' },
    deleted: { when: 'A snapshot of a volume no longer exists.', says: 'is gone' },
    failed: { severity: 'error', when: 'A snapshot of a volume could not be taken.' },
    lost: {
      severity: 'error',
      when: 'A snapshot of a volume can no longer be found. It is `failed` until it is found again or you delete it.',
    },
    recovered: { when: 'A lost snapshot of a volume was found again.' },
  },
  async inventory({ volume_id, status, size_bytes }, db) {
    const location = await readVolumeLocation(db, volume_id);
    const configuration = { location, size_gb: inGb(size_bytes ?? 0) };
    return {
      status,
      location,
      parent_id: volume_id,
      configuration: status === 'available' ? configuration : null,
    };
  },
});
