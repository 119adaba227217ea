import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { readVolume } from '../volumes/store.ts';
import { createVolumeSnapshotKind } from './kinds.ts';
import { volumeSnapshots } from './resource.ts';

/** Creates an available snapshot: inserts the row like createVpsVolumeSnapshot does, then runs the operation. */
export async function makeVolumeSnapshot(world: World, volumeId: string): Promise<string> {
  const volume = await readVolume(world.app.services.db, volumeId);
  // A law may pass the id of a deleted volume. Its call with this new id then answers 404 for the volume.
  if (volume === undefined) return volumeSnapshots.newId();
  const { id: volume_id, size_gb } = volume;
  const own = { volume_id, name: freshName(), status: 'creating', size_gb } as const;
  const row = await insertFor(world, volumeSnapshots, own);
  return provision(world, volumeSnapshots, row, createVolumeSnapshotKind, {});
}

/** A snapshot that costs money: those of the sandbox are nearly empty. */
async function makeLargeSnapshot(world: World, volumeId: string): Promise<string> {
  const id = await makeVolumeSnapshot(world, volumeId);
  const { services } = world.app;
  await volumeSnapshots.change(services.db, id, { size_bytes: 20 * BYTES_PER_GB }, { services });
  return id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/volumes/{id}/snapshots',
  make: (world, { id = '' }) => makeVolumeSnapshot(world, id),
  async addRow(world, name, _i, volume_id) {
    await insertFor(world, volumeSnapshots, { volume_id, name, status: 'available', size_gb: 100 });
  },
  variations: {
    deleteVpsVolume: {
      'that has a snapshot': async (world, { id = '' }) => {
        await makeLargeSnapshot(world, id);
        return {};
      },
    },
    deleteVpsVolumeSnapshot: {
      'that takes space': async (world, { id = '' }) => ({
        params: { id, snapshot_id: await makeLargeSnapshot(world, id) },
      }),
    },
  },
};
