import { Lifecycle } from '../../../kernel/lifecycle.ts';

export const backupLife = new Lifecycle({
  resource: 'backup',
  table: 'vm_backups',
  states: {
    creating: 'The disk is being copied to the backup store.',
    available: 'The backup can be restored, copied and downloaded.',
    failed: 'The backup was not made; `failure` says why. It is deleted after 24 hours.',
    deleting: 'The backup is being deleted.',
  },
  transitional: ['creating', 'deleting'],
  transitions: [
    { by: ['createVmBackup', 'time'], from: null, through: 'creating', to: ['available', 'failed'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    {
      // A second delete call is allowed while the backup is deleting; it answers with the running operation.
      by: ['deleteVmBackup'],
      from: ['available', 'failed', 'deleting'],
      through: 'deleting',
      to: [null, 'available', 'failed'],
    },
    { by: ['time'], from: ['available', 'failed'], through: 'deleting', to: [null, 'available', 'failed'] },
  ],
  needs: { createVmBackupDownload: ['available'] },
});

export type BackupStatus = (typeof backupLife.states)[number];
