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
    deleted: { when: 'A snapshot of a machine is deleted.', says: 'is gone' },
    failed: { severity: 'error', when: 'A snapshot could not be taken.' },
    lost: {
      severity: 'error',
      when: 'The engine no longer has a snapshot; it is `failed` until you delete it or the engine has it again.',
    },
    recovered: { when: 'The engine has a lost snapshot again.' },
  },
  // The row of a snapshot has no location: inventory.ts takes the location from the machine.
  inventory: ({ id }) => {
    throw new Error(`The inventory entry of ${id} is written with its machine, by inventory.ts.`);
  },
});
