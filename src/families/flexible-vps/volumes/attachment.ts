/** The actions `attach` and `detach`. */
import { forGood, forNow } from '../../../kernel/effect.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { vms } from '../vms/resource.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { lockWithMachines, refuseElsewhere, requirePlace, unknownVm } from './acceptance.ts';
import { type ActionCall, changeNothing, followed } from './action-call.ts';
import { attachVolumeKind, detachVolumeKind } from './attach-kinds.ts';
import { copySeconds } from './copy-time.ts';
import { requireAlive, requireReleasable } from './engine-volume.ts';
import { volumeLife } from './lifecycle.ts';
import { volumes } from './resource.ts';
import type { VolumeRow } from './table.ts';

const isSame = (operation: StoredOperation | undefined, type: string, vmId: string | null): boolean =>
  operation?.type === type && (operation.input as { vm_id?: unknown }).vm_id === vmId;

/** Reports what the other machine loses. */
function takeFrom(call: ActionCall, row: VolumeRow, loser: VmRow): void {
  if (call.body.move !== true)
    throw new Problem('already_attached', {
      detail: `The machine ${loser.name} has the volume.`,
      extra: { attached_to: loser.id },
    });
  requireReleasable(loser);
  call.effect({ action: 'detach', ...vms.ref(loser), loss: forNow(`The volume "${row.name}".`) });
}

export async function attach(call: ActionCall): Promise<StoredOperation> {
  const { db, params, body } = call;
  const vmId = body.vm_id ?? '';
  const { row, machines } = await lockWithMachines(call, params.id, [vmId]);
  const vm = machines.get(vmId);
  if (vm === undefined) throw unknownVm('/vm_id');
  refuseElsewhere(vm, row, '/vm_id');
  const pending = (await pendingOn(db, [row.id])).get(row.id);
  if (pending !== undefined && isSame(pending, attachVolumeKind.type, vm.id))
    return followed(call, row, pending);
  volumeLife.require('performVpsVolumeAction', row.status, { operation: pending });
  const loser = machines.get(row.vm_id ?? '');
  const input = { vm_id: vm.id, from: row.vm_id };
  if (loser?.id === vm.id) return changeNothing(call, row, { kind: attachVolumeKind, input });
  requireAlive(vm);
  if (loser !== undefined) takeFrom(call, row, loser);
  await requirePlace(call, vm);
  const change = [{ pointer: '/vm_id', before: row.vm_id, after: vm.id }];
  call.effect({ action: 'attach', ...volumes.ref(row), changes: change });
  const operation = await call.start({
    kind: attachVolumeKind,
    deadlineSeconds: attachVolumeKind.deadlineSeconds + copySeconds(call.services, row.location),
    input,
    resource: volumes.ref(row),
    subjects: [...new Set([vm.id, ...(row.vm_id === null ? [] : [row.vm_id]), row.id])],
  });
  await updateVm(db, vm.id, {});
  const next =
    loser === undefined
      ? ({ status: 'attaching', vm_id: vm.id } as const)
      : ({ status: 'detaching' } as const);
  await volumes.change(db, row.id, next, { keepsPrice: true });
  return operation;
}

export async function detach(call: ActionCall): Promise<StoredOperation> {
  const { db, params, body } = call;
  const { row, machines } = await lockWithMachines(call, params.id);
  const pending = (await pendingOn(db, [row.id])).get(row.id);
  if (pending !== undefined && isSame(pending, detachVolumeKind.type, row.vm_id))
    return followed(call, row, pending);
  volumeLife.require('performVpsVolumeAction', row.status, { operation: pending });
  const { force = false } = body;
  const input = { vm_id: row.vm_id ?? '', force };
  const vm = machines.get(row.vm_id ?? '');
  if (vm === undefined) return changeNothing(call, row, { kind: detachVolumeKind, input });
  requireReleasable(vm);
  const loss = force
    ? forGood(`The volume for "${vm.name}", and what the guest has not yet written to it.`)
    : forNow(`The volume for "${vm.name}"; it stays in your account.`);
  const changes = [{ pointer: '/vm_id', before: row.vm_id, after: null }];
  call.effect({ action: 'detach', ...volumes.ref(row), loss, changes });
  const operation = await call.start({
    kind: detachVolumeKind,
    input,
    resource: volumes.ref(row),
    subjects: [vm.id, row.id],
  });
  await volumes.change(db, row.id, { status: 'detaching' }, { keepsPrice: true });
  return operation;
}
