import { Owned } from '../../../resources/owned/owned.ts';

export const snapshots = new Owned({
  type: 'snapshot',
  idPrefix: 'snap',
  table: 'vm_snapshots',
  words: 'snapshot',
  family: 'flexible-vps',
  permission: 'flexible-vps:snapshots:read',
  path: '/flexible-vps/v1/vms/{parent_id}/snapshots/{id}',
  events: {
    created: { when: 'A snapshot of a machine is ready.' },
    deleted: { when: 'A snapshot of a machine is gone.', says: 'is gone' },
    failed: { severity: 'error', when: 'A snapshot could not be taken.' },
    lost: {
      severity: 'error',
      when: 'A snapshot is no longer where it should be; it is `failed` until it is deleted or there again.',
    },
    recovered: { when: 'A snapshot that was lost is there again.' },
  },
  // The location of a snapshot is that of its machine, which its row does not hold.
  inventory: ({ id }) => {
    throw new Error(`The inventory entry of ${id} is written with its machine, by inventory.ts.`);
  },
});
