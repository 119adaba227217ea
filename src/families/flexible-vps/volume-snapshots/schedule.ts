/** Deletes snapshots of volumes that have expired or were never taken. */
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { lockVolume } from '../volumes/store.ts';
import { deleteVolumeSnapshotKind } from './kinds.ts';
import { volumeSnapshots } from './resource.ts';
import { dueVolumeSnapshots, lockSnapshotsOfVolume, usersOfVolumeSnapshots } from './store.ts';
import type { VolumeSnapshotRow } from './table.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;

async function startDeletion({ db, registry }: Services, due: VolumeSnapshotRow): Promise<void> {
  await transact(db, async (tx) => {
    const volume = await lockVolume(tx, due.account_id, due.volume_id);
    if (volume === undefined) return;
    const before = (await lockSnapshotsOfVolume(tx, volume.id)).find(({ id }) => id === due.id);
    if (before === undefined || (before.status !== 'available' && before.status !== 'failed')) return;
    // A volume is being made from it or put back to it: a later run deletes it.
    if ((await usersOfVolumeSnapshots(tx, due.account_id, [due.id])).length > 0) return;
    await volumeSnapshots.change(tx, before.id, { status: 'deleting' }, { keepsPrice: true });
    await startOperation(
      tx,
      registry,
      {
        kind: deleteVolumeSnapshotKind,
        input: { was: before.status },
        resource: volumeSnapshots.ref(before),
        subjects: [volume.id, before.id],
      },
      { accountId: before.account_id },
    );
  });
}

export const volumeSnapshotExpiry: Schedule = {
  name: 'flexible-vps.volume-snapshot-expiry',
  everySeconds: 120,
  async run(services) {
    for (const due of await dueVolumeSnapshots(services.db, AT_ONCE)) {
      try {
        await startDeletion(services, due);
      } catch (error) {
        // The operation queue of the volume is full: the next run tries again.
        if (!(error instanceof Problem)) throw error;
      }
    }
  },
};
