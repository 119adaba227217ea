import { forGood, forNow } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { vms } from '../vms/resource.ts';
import { refuseInUse } from '../volume-snapshots/removal.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { lockSnapshotsOfVolume } from '../volume-snapshots/store.ts';
import { lockWithMachines } from '../volumes/acceptance.ts';
import { attachVolumeKind } from '../volumes/attach-kinds.ts';
import { volumeLife } from '../volumes/lifecycle.ts';
import { volumeView } from '../volumes/present.ts';
import { volumes } from '../volumes/resource.ts';
import { deleteVolumeKind } from './kind.ts';

export const deleteVpsVolume = writeOf(volumeView, 'delete', {
  id: 'deleteVpsVolume',
  description:
    'Deletes the volume and its snapshots. The operation waits for a machine that is being deleted or loses the volume. If another machine has it, the call is refused, unless `detach=true` detaches it first, as part of the same operation. A volume that moves between machines cannot be deleted until it has moved.',
  query: Shape({
    detach: Type.Boolean({
      default: false,
      description: 'Whether a machine that has the volume loses it first, also while it uses it.',
    }),
  }),
  problems: [
    'resource_protected',
    'resource_in_use',
    'invalid_state',
    'operation_in_progress',
    'operation_queue_full',
  ],
  kind: deleteVolumeKind,
  async handle(call) {
    const { db, params, query } = call;
    const { row: before, machines } = await lockWithMachines(call, params.id);
    call.checkVersion(volumes.etag(before));
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    // A second deletion follows the pending one.
    if (before.status === 'deleting' && pending !== undefined) {
      call.effect({ action: 'none', ...volumes.ref(before) });
      call.follow(pending);
      return { row: before, operation: pending };
    }
    if (before.protected) throw new Problem('resource_protected');
    // A volume that moves is first detached, but another machine gets it: its deletion does not wait.
    const isMoving = pending?.type === attachVolumeKind.type;
    volumeLife.require('deleteVpsVolume', isMoving ? 'attaching' : before.status, { operation: pending });
    const vm = machines.get(before.vm_id ?? '');
    const isLeaving = before.status === 'detaching' || vm?.status === 'deleting';
    const holder = vm === undefined || isLeaving ? undefined : vm;
    if (holder !== undefined && !query.detach)
      refuseUsed([vms.ref(holder)], {
        detail: `The machine ${holder.name} has the volume.`,
        nextStep:
          'Detach the volume with the action detach, or add ?detach=true to detach it with the deletion.',
      });
    const snapshots = await lockSnapshotsOfVolume(db, before.account_id, before.id);
    await refuseInUse(
      call,
      snapshots.map(({ id }) => id),
    );
    await volumes.reportCost(call, [before], null);
    await volumeSnapshots.reportCost(call, snapshots, null);
    const row = (await volumes.change(db, before.id, { status: 'deleting' }, { keepsPrice: true })) ?? before;
    call.effect({
      action: 'delete',
      ...volumes.ref(row),
      loss: forGood(`All data on the volume (${row.size_gb} GB).`),
    });
    for (const snapshot of snapshots)
      call.effect({ action: 'delete', ...volumeSnapshots.ref(snapshot), loss: volumeSnapshots.loss });
    if (holder !== undefined)
      call.effect({ action: 'detach', ...vms.ref(holder), loss: forNow(`The volume "${row.name}".`) });
    const operation = await call.start({
      kind: deleteVolumeKind,
      input: { detach: query.detach, was: before.status },
      resource: volumes.ref(row),
      subjects: [row.id, ...(holder === undefined ? [] : [holder.id])],
    });
    return { row, operation };
  },
});
