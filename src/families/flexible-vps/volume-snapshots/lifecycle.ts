import { Lifecycle } from '../../../kernel/lifecycle.ts';

export const volumeSnapshotLife = new Lifecycle({
  resource: 'volume_snapshot',
  table: 'volume_snapshots',
  states: {
    creating: 'The snapshot is being taken.',
    available: 'The volume can be put back to the snapshot, and new volumes can be made from it.',
    failed: 'The snapshot was not taken. It is deleted after 24 hours.',
    deleting: 'The snapshot is being deleted.',
  },
  transitional: ['creating', 'deleting'],
  transitions: [
    { by: ['createVpsVolumeSnapshot'], from: null, through: 'creating', to: ['available', 'failed'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    {
      // A second delete call is allowed while the snapshot is deleting; it answers with the running operation.
      by: ['deleteVpsVolumeSnapshot'],
      from: ['available', 'failed', 'deleting'],
      through: 'deleting',
      to: [null, 'available', 'failed'],
    },
    { by: ['engine'], from: ['available', 'failed'], to: ['available', 'failed', null] },
    { by: ['time'], from: ['available', 'failed'], through: 'deleting', to: [null, 'available', 'failed'] },
  ],
});

export type VolumeSnapshotStatus = (typeof volumeSnapshotLife.states)[number];
