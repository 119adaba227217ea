import { diskSnapshotLife } from '../disk-snapshots/lifecycle.ts';

export const snapshotLife = diskSnapshotLife({
  resource: 'snapshot',
  table: 'vm_snapshots',
  create: 'createVmSnapshot',
  delete: 'deleteVmSnapshot',
  available: 'The snapshot can be restored or copied.',
});
