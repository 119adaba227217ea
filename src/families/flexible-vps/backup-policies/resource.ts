import { Owned } from '../../../resources/owned/owned.ts';
import { vmCount } from './store.ts';

export const backupPolicies = new Owned({
  type: 'backup_policy',
  idPrefix: 'bpol',
  table: 'backup_policies',
  permission: 'flexible-vps:backup-policies:read',
  path: '/flexible-vps/v1/backup-policies/{id}',
  limit: 'flexible-vps.backup-policies',
  loses: 'The schedule. Backups that it made stay.',
  events: { created: {}, updated: { says: 'was changed' }, deleted: {} },
  inventory: ({ enabled }) => ({ status: enabled ? 'enabled' : 'disabled' }),
  shows: { vm_count: vmCount },
});
