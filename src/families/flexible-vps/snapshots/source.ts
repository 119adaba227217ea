/** The members of requests that copy a disk from a snapshot or a backup. */
import { readAs } from '../../../kernel/member-marks.ts';
import { Type, unlessSent } from '../../../kernel/schema.ts';
import { BackupRef, SnapshotRef, type VmRef } from '../references.ts';

/** `vm` is the reference to the machine of the snapshot; `location` points to the location in the same request. */
export const snapshotSource = (vm: typeof VmRef, location?: string) => ({
  snapshot_id: {
    ...SnapshotRef(location),
    ...readAs('/source/id'),
    description: 'The snapshot to copy.',
  },
  vm_id: Type.Optional({
    ...vm,
    writeOnly: true,
    ...unlessSent('snapshot_id'),
    description: 'The machine of the snapshot. May be left out: the snapshot already names it.',
  }),
});

export const backupSource = {
  backup_id: { ...BackupRef, ...readAs('/source/id'), description: 'The backup to copy.' },
};
