import { exampleOf } from '../../../kernel/examples.ts';
import { view } from '../../../resources/records/records.ts';
import { vms } from '../vms/resource.ts';
import { snapshots } from './resource.ts';
import { Snapshot } from './schema.ts';

export const snapshotView = view(snapshots, {
  schema: Snapshot,
  path: '/flexible-vps/v1/vms/{id}/snapshots',
  parent: { of: vms, column: 'vm_id', param: 'snapshot_id' },
  example: exampleOf(Snapshot, {
    name: 'before-upgrade',
    disk_gb: 80,
    consistency: 'filesystem',
  }),
});
