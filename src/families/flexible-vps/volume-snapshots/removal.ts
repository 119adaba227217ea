/** Takes and removes snapshots of volumes, also those that a restore deletes. */
import type { Call } from '../../../kernel/call.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { diskSnapshots } from '../disk-snapshots/disk-snapshots.ts';
import { readVolume } from '../volumes/store.ts';
import { volumeSnapshots } from './resource.ts';
import { readVolumeSnapshot, readVolumeSnapshots, usersOfVolumeSnapshots } from './store.ts';

/** Throws 409 while a volume is being created from one of the snapshots, or put back to it. */
export async function refuseInUse(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<void> {
  const users = await usersOfVolumeSnapshots(db, caller.account.id, ids);
  refuseUsed(users, {
    detail: `The snapshot ${users[0]?.snapshot_id} is being used to create or restore a volume.`,
    nextStep: 'Wait until the volumes in used_by are ready, then repeat the call.',
  });
}

export const {
  removeAll: removeVolumeSnapshots,
  forget: forgetVolumeSnapshot,
  creation,
  deletion,
} = diskSnapshots(volumeSnapshots, {
  table: 'volume_snapshots',
  noun: 'volume',
  missing: 'The engine cannot find the volume.',
  read: readVolumeSnapshot,
  byIds: readVolumeSnapshots,
  readDisk: (db, { volume_id }) => readVolume(db, volume_id),
  observe: (engine, volume, signal) => engine.observeVolume(volume, signal),
  ensure: (engine, volume, id, { signal }: Work<unknown>) => engine.ensureVolumeSnapshot(volume, id, signal),
  remove: (engine, volume, id, signal) => engine.removeVolumeSnapshot(volume, id, signal),
  columns: ({ diskGb }) => ({ size_gb: diskGb }),
});
