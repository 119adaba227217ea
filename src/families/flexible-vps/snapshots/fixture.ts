import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { readVm } from '../vms/store.ts';
import { noteUnbilled } from './inventory.ts';
import { createSnapshotKind } from './kinds.ts';
import { snapshotRef } from './present.ts';
import { insertSnapshot } from './store.ts';

/** Creates an available snapshot: inserts the row like createVmSnapshot does, then runs the step of the operation. */
export async function makeSnapshot({ app, account, key }: World, vmId: string): Promise<string> {
  const { db } = app.services;
  const vm = await readVm(db, vmId);
  // A law may pass the id of a deleted machine. Its call with this new id then answers 404 for the machine.
  if (vm === undefined) return newId('snapshot');
  const row = await insertSnapshot(db, {
    id: newId('snapshot'),
    account_id: account.id,
    vm_id: vm.id,
    name: freshName(),
    status: 'creating',
    disk_gb: vm.disk_gb,
    created_by: 'user',
  });
  await noteUnbilled(db, row, vm, key.id);
  const input = { vm_id: vm.id, quiesce: 'auto' } as const;
  await runKind(app, createSnapshotKind, { accountId: account.id, resource: snapshotRef(row), input });
  return row.id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/snapshots',
  make: (world, { id = '' }) => makeSnapshot(world, id),
  async addRow({ app, account }, name, _i, vm_id) {
    await insertSnapshot(app.services.db, {
      id: newId('snapshot'),
      account_id: account.id,
      vm_id,
      name,
      status: 'available',
      disk_gb: 80,
      created_by: 'user',
    });
  },
};
