/** The action `resize`. */
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { lockWithMachines, refuse } from '../volumes/acceptance.ts';
import { type ActionCall, changeNothing, followed } from '../volumes/action-call.ts';
import { requireAlive, requireStopped } from '../volumes/engine-volume.ts';
import { volumeLife } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import { resizeVolumeKind } from './kinds.ts';

export async function resize(call: ActionCall): Promise<StoredOperation> {
  const { db, params, body, services } = call;
  const size_gb = body.size_gb ?? 0;
  const { row, machines } = await lockWithMachines(call, params.id);
  if (size_gb < row.size_gb)
    throw refuse('/size_gb', 'disk_shrink', `The volume has ${row.size_gb} GB and can only grow.`);
  const pending = (await pendingOn(db, [row.id])).get(row.id);
  const isSame = (pending?.input as { size_gb?: unknown } | undefined)?.size_gb === size_gb;
  if (pending?.type === resizeVolumeKind.type && isSame) return followed(call, row, pending);
  volumeLife.require('performVpsVolumeAction', row.status, { operation: pending });
  if (size_gb === row.size_gb)
    return changeNothing(call, row, { kind: resizeVolumeKind, input: { size_gb } });
  await requireRoomIn(call, 'flexible-vps.volume-gb', row.id, { before: row.size_gb, after: size_gb });
  const vm = machines.get(row.vm_id ?? '');
  if (vm !== undefined) requireAlive(vm);
  const online = services.compute.at(row.location)?.capabilities.onlineVolumeResize;
  if (typeof online === 'string') requireStopped(vm, online);
  const changes = [{ pointer: '/size_gb', before: row.size_gb, after: size_gb }];
  call.effect({ action: 'update', ...volumes.ref(row), changes });
  await volumes.reportCost(call, [row], { size_gb });
  const operation = await call.start({
    kind: resizeVolumeKind,
    input: { size_gb },
    resource: volumes.ref(row),
    subjects: [row.id, ...(vm === undefined ? [] : [vm.id])],
  });
  await volumes.change(db, row.id, { status: 'resizing' }, { keepsPrice: true });
  return operation;
}
