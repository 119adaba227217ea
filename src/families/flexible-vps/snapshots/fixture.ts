import type { Insertable } from 'kysely';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import type { Tables } from '../../../store/database.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { readVm } from '../vms/store.ts';
import { createSnapshotKind } from './kinds.ts';
import { snapshots } from './resource.ts';
import type { SnapshotRow } from './table.ts';

type Columns = Pick<Insertable<Tables['vm_snapshots']>, 'vm_id' | 'name' | 'status' | 'disk_gb'>;

function insertSnapshot({ app, account }: World, columns: Columns): Promise<SnapshotRow> {
  return app.services.db
    .insertInto('vm_snapshots')
    .values({ ...columns, id: snapshots.newId(), account_id: account.id, created_by: 'user' })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Creates an available snapshot: inserts the row like createVmSnapshot does, then runs the step of the operation. */
export async function makeSnapshot(world: World, vmId: string): Promise<string> {
  const { app, account, key } = world;
  const { db } = app.services;
  const vm = await readVm(db, vmId);
  // A law may pass the id of a deleted machine. Its call with this new id then answers 404 for the machine.
  if (vm === undefined) return snapshots.newId();
  const { id: vm_id, disk_gb } = vm;
  const row = await insertSnapshot(world, { vm_id, name: freshName(), status: 'creating', disk_gb });
  await snapshots.note(db, row, { apiKeyId: key.id });
  const input = { vm_id, quiesce: 'auto' } as const;
  await runKind(app, createSnapshotKind, { accountId: account.id, resource: snapshots.ref(row), input });
  return row.id;
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
    await insertSnapshot(world, { vm_id, name, status: 'available', disk_gb: 80 });
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
