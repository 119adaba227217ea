import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { readVm } from '../vms/store.ts';
import { createSnapshotKind } from './kinds.ts';
import { snapshots } from './resource.ts';

/** Creates an available snapshot: inserts the row like createVmSnapshot does, then runs the step of the operation. */
export async function makeSnapshot(world: World, vmId: string): Promise<string> {
  const vm = await readVm(world.app.services.db, vmId);
  // A law may pass the id of a deleted machine. Its call with this new id then answers 404 for the machine.
  if (vm === undefined) return snapshots.newId();
  const { id: vm_id, disk_gb } = vm;
  const own = { vm_id, name: freshName(), status: 'creating', disk_gb, created_by: 'user' } as const;
  const row = await insertFor(world, snapshots, own);
  return provision(world, snapshots, row, createSnapshotKind, { vm_id, quiesce: 'auto' });
}

/** A snapshot that costs money: those of the sandbox are empty. */
export async function makeLargeSnapshot(world: World, vmId: string): Promise<string> {
  const id = await makeSnapshot(world, vmId);
  const { services } = world.app;
  await snapshots.change(services.db, id, { size_bytes: 20 * BYTES_PER_GB }, { services });
  return id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/snapshots',
  make: (world, { id = '' }) => makeSnapshot(world, id),
  async addRow(world, name, _i, vm_id) {
    const own = { vm_id, name, status: 'available', disk_gb: 80, created_by: 'user' } as const;
    await insertFor(world, snapshots, own);
  },
  variations: {
    deleteVm: {
      'that has a snapshot': async (world, { id = '' }) => {
        await makeLargeSnapshot(world, id);
        return {};
      },
    },
    deleteVmSnapshot: {
      'that takes space': async (world, { id = '' }) => ({
        params: { id, snapshot_id: await makeLargeSnapshot(world, id) },
      }),
    },
  },
};
