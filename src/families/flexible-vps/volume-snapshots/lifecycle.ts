import { diskSnapshotLife } from '../disk-snapshots/lifecycle.ts';

export const volumeSnapshotLife = diskSnapshotLife({
  resource: 'volume_snapshot',
  table: 'volume_snapshots',
  create: 'createVpsVolumeSnapshot',
  delete: 'deleteVpsVolumeSnapshot',
  available: 'The volume can be put back to the snapshot, and new volumes can be made from it.',
});
