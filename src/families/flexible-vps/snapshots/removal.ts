/** Takes and removes snapshots of machines, also those that a restore or a redeploy deletes. */
import type { Call } from '../../../kernel/call.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { diskSnapshots } from '../disk-snapshots/disk-snapshots.ts';
import { readVm } from '../vms/store.ts';
import { wantsQuiet } from './quiesce.ts';
import { snapshots } from './resource.ts';
import { readSnapshot, readSnapshots, usersOf } from './store.ts';

/** Throws 409 while a machine or image is being created from one of the snapshots, or a machine restored to it. */
export async function refuseInUse(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<void> {
  const users = await usersOf(db, caller.account.id, ids);
  refuseUsed(users, {
    detail: `The snapshot ${users[0]?.snapshot_id} is being used to create or restore another resource.`,
    nextStep: 'Wait until the resources in used_by are ready, then repeat the call.',
  });
}

export const CreateInput = Shape({ vm_id: Type.String(), quiesce: OneOf(['auto', 'require', 'never']) });

export const {
  removeFromEngine,
  removeAll: removeSnapshots,
  forget: forgetSnapshot,
  creation,
  deletion,
} = diskSnapshots(snapshots, {
  table: 'vm_snapshots',
  noun: 'machine',
  missing: 'The machine is not where it should be.',
  read: readSnapshot,
  byIds: readSnapshots,
  readDisk: (db, { vm_id }) => readVm(db, vm_id),
  observe: (engine, vm, signal) => engine.observeInstance(vm, signal),
  async ensure(engine, vm, id, { input, signal }: Work<Static<typeof CreateInput>>, before) {
    const quiesce = wantsQuiet(input.quiesce, before, engine.capabilities.quiesce === true);
    await engine.ensureSnapshot(vm, { id, quiesce }, signal);
  },
  remove: (engine, vm, id, signal) => engine.removeSnapshot(vm, id, signal),
  columns: ({ diskGb }, { applied_seed, applied_user_data_sha256 }) => ({
    disk_gb: diskGb,
    applied_seed,
    applied_user_data_sha256,
  }),
});
