/** The members of requests that copy a disk from a snapshot or a backup. */
import { Id, Type } from '../../../kernel/schema.ts';
import { SnapshotRef, VmRef } from '../references.ts';

export const SnapshotSource = {
  snapshot_id: { ...SnapshotRef('/source/vm_id'), description: 'The snapshot to copy.' },
  vm_id: Type.Optional({
    ...VmRef,
    description: 'The machine of the snapshot. May be left out: the snapshot already names it.',
  }),
};

/** Optional, so that a request for a backup is refused because of that, and not for its id. */
export const BackupId = Type.Optional(
  Id('bkp', { description: 'Only with the type `backup`, which is not offered yet.' }),
);
