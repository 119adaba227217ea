import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';

export const backups = new Owned({
  type: 'backup',
  idPrefix: 'bkp',
  table: 'vm_backups',
  permission: 'flexible-vps:backups:read',
  path: '/flexible-vps/v1/backups/{id}',
  limit: 'flexible-vps.backups',
  loses: 'The backup.',
  events: {
    succeeded: { when: 'A backup of a machine is ready.', says: 'is ready' },
    failed: { severity: 'error', when: 'A backup could not be made.' },
    skipped: {
      severity: 'warning',
      when: 'A machine could not be backed up during the whole window of its policy.',
    },
    link_created: { when: 'A link was made with which the backup can be downloaded.' },
    links_ended: { when: 'A call ended links with which the backup could be downloaded.' },
    deleted: { when: 'A backup was deleted.', says: 'is gone' },
  },
  inventory: ({ status, location, size_bytes }) => ({
    status,
    location,
    configuration: status === 'available' ? { location, size_gb: inGb(size_bytes ?? 0) } : null,
  }),
});
