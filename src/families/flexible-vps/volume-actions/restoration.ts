/** The action `restore`. */
import { requireConfirmation } from '../../../kernel/confirmation.ts';
import { forGood } from '../../../kernel/effect.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireMeant } from '../snapshots/affected-snapshots.ts';
import { refuseInUse } from '../volume-snapshots/removal.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { lockSnapshotsOfVolume } from '../volume-snapshots/store.ts';
import type { VolumeSnapshotRow } from '../volume-snapshots/table.ts';
import { lockWithMachines, refuse } from '../volumes/acceptance.ts';
import type { ActionCall } from '../volumes/action-call.ts';
import { requireStopped } from '../volumes/engine-volume.ts';
import { volumeLife } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import type { VolumeRow } from '../volumes/table.ts';
import { restoreVolumeKind } from './kinds.ts';

async function chooseSnapshot({ db, body }: ActionCall, row: VolumeRow) {
  const rows = await lockSnapshotsOfVolume(db, row.account_id, row.id);
  const place = rows.findIndex(({ id }) => id === body.snapshot_id);
  const snapshot = rows[place];
  if (snapshot === undefined)
    throw refuse('/snapshot_id', 'unknown_reference', 'The volume has no such snapshot.');
  return { snapshot, newestFirst: rows.slice(place + 1).reverse() };
}

async function acceptLossOfNewer(call: ActionCall, newer: readonly VolumeSnapshotRow[]): Promise<string[]> {
  requireMeant(newer, {
    isMeant: call.body.delete_newer_snapshots ?? false,
    code: 'newer_snapshots_exist',
    detail: (count) => `${count} taken after this one would be deleted.`,
  });
  await refuseInUse(
    call,
    newer.map(({ id }) => id),
  );
  for (const each of newer)
    call.effect({ action: 'delete', ...volumeSnapshots.ref(each), loss: volumeSnapshots.loss });
  await volumeSnapshots.reportCost(call, newer, null);
  return newer.map(({ id }) => id);
}

export async function restore(call: ActionCall): Promise<StoredOperation> {
  const { db, params, body } = call;
  const { row, machines } = await lockWithMachines(call, params.id);
  const loss = 'The present content of the volume will be lost.';
  requireConfirmation(body.confirm, { type: 'volume', name: row.name, pointer: '/confirm', loss });
  const { snapshot, newestFirst } = await chooseSnapshot(call, row);
  const pending = (await pendingOn(db, [row.id])).get(row.id);
  volumeLife.require('performVpsVolumeAction', row.status, { operation: pending });
  const vm = machines.get(row.vm_id ?? '');
  requireStopped(vm, 'The machine that has the volume must be stopped, or the volume detached.');
  if (snapshot.status !== 'available')
    throw new Problem('invalid_state', {
      detail: `The snapshot is ${snapshot.status}. It has to be available.`,
      extra: { current_state: snapshot.status, allowed_states: ['available'] },
    });
  call.effect({
    action: 'wipe_disk',
    verb: 'replaces the content of',
    ...volumes.ref(row),
    loss: forGood(`All that was written to the volume after the snapshot "${snapshot.name}".`),
  });
  const remove = await acceptLossOfNewer(call, newestFirst);
  const operation = await call.start({
    kind: restoreVolumeKind,
    input: { snapshot_id: snapshot.id, remove },
    resource: volumes.ref(row),
    subjects: [row.id, ...(vm === undefined ? [] : [vm.id]), snapshot.id],
  });
  await volumes.change(db, row.id, { status: 'restoring' }, { keepsPrice: true });
  return operation;
}
