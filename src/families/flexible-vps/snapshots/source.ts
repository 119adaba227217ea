/** The members of requests that copy a disk from a snapshot or a backup. */
import { readAs } from '../../../kernel/member-marks.ts';
import { Id, Type, unlessSent } from '../../../kernel/schema.ts';
import { SnapshotRef, type VmRef } from '../references.ts';

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

/** Optional, so that a request for a backup is refused because of that, and not for its id. */
export const BackupId = Type.Optional(
  Id('bkp', {
    ...readAs('/source/id'),
    description: 'Only with the type `backup`, which is not offered yet.',
  }),
);
