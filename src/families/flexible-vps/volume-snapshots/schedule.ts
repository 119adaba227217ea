/** Deletes snapshots of volumes that have expired or were never taken. */

import type { Schedule } from '../../../kernel/schedule.ts';
import { deleteDue } from '../../../resources/records/deletion.ts';
import { lockVolume } from '../volumes/store.ts';
import { volumeSnapshotDeletion } from './kinds.ts';
import { volumeSnapshots } from './resource.ts';
import { dueVolumeSnapshots, lockSnapshotsOfVolume, usersOfVolumeSnapshots } from './store.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;

export const volumeSnapshotExpiry: Schedule = {
  name: 'flexible-vps.volume-snapshot-expiry',
  everySeconds: 120,
  async run(services) {
    const due = await dueVolumeSnapshots(services.db, AT_ONCE);
    await deleteDue(services, volumeSnapshots, volumeSnapshotDeletion, due, async (tx, { id, ...row }) => {
      const volume = await lockVolume(tx, row.account_id, row.volume_id);
      const rows = volume === undefined ? [] : await lockSnapshotsOfVolume(tx, volume.account_id, volume.id);
      // A volume is being made from it or put back to it: a later run deletes it.
      const isUsed = (await usersOfVolumeSnapshots(tx, row.account_id, [id])).length > 0;
      return isUsed ? undefined : rows.find((each) => each.id === id);
    });
  },
};
