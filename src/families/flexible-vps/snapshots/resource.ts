import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';
import { readLocation } from './store.ts';

export const snapshots = new Owned({
  type: 'snapshot',
  idPrefix: 'snap',
  table: 'vm_snapshots',
  permission: 'flexible-vps:snapshots:read',
  path: '/flexible-vps/v1/vms/{parent_id}/snapshots/{id}',
  loses: 'What the disk held at that time can no longer be restored.',
  events: {
    created: { when: 'A snapshot of a machine is ready.' },
    deleted: { when: 'A snapshot of a machine is deleted.', says: 'is gone' },
    failed: { severity: 'error', when: 'A snapshot could not be taken.' },
    lost: {
      severity: 'error',
      when: 'A snapshot can no longer be found. It is `failed` until it is found again or you delete it.',
    },
    recovered: { when: 'A lost snapshot was found again.' },
  },
  async inventory({ vm_id, status, size_bytes }, db) {
    const location = await readLocation(db, vm_id);
    const configuration = { location, size_gb: inGb(size_bytes ?? 0) };
    return {
      status,
      location,
      parent_id: vm_id,
      configuration: status === 'available' ? configuration : null,
    };
  },
});
