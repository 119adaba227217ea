/** Checks and locks that the calls about volumes share. */
import type { Call } from '../../../kernel/call.ts';
import { queueOf, readOperation } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { attachVolumeKind } from './attach-kinds.ts';
import { lockVolume, readOwnVolume, volumesOf } from './store.ts';
import type { VolumeRow } from './table.ts';

type Asking = Pick<Call, 'db' | 'caller'>;

export interface Locked {
  readonly row: VolumeRow;
  /** The machines of the account among those that were asked for, and the machine that has the volume. */
  readonly machines: ReadonlyMap<string, VmRow>;
}

/**
 * Locks the machines in the order of their ids, then the volume, as all calls do, so that they do not deadlock. Starts
 * over if the volume went to another machine meanwhile. Throws 404 if the account has no such volume.
 */
export async function lockWithMachines(
  { db, caller }: Asking,
  volumeId: string,
  vmIds: readonly string[] = [],
): Promise<Locked> {
  const accountId = caller.account.id;
  for (;;) {
    const seen = await readOwnVolume(db, accountId, volumeId);
    if (seen === undefined) throw new Problem('not_found');
    const machines = new Map<string, VmRow>();
    for (const id of [...new Set([...vmIds, ...(seen.vm_id === null ? [] : [seen.vm_id])])].sort()) {
      const vm = await lockVmIfThere(db, accountId, id);
      if (vm !== undefined) machines.set(id, vm);
    }
    const row = await lockVolume(db, accountId, volumeId);
    if (row === undefined) throw new Problem('not_found');
    if (row.vm_id === null || machines.has(row.vm_id)) return { row, machines };
  }
}

export const unknownVm = (pointer: string): Problem =>
  refuse(pointer, 'unknown_reference', 'There is no such machine in this account.');

export const refuse = (pointer: string, code: FieldError['code'], detail: string): Problem =>
  invalid([{ pointer, code, detail }]);

export function refuseElsewhere(
  vm: Pick<VmRow, 'location'>,
  { location }: Pick<VolumeRow, 'location'>,
  pointer: string,
): void {
  if (vm.location === location) return;
  const detail = `The volume is in ${location}, the machine in ${vm.location}.`;
  throw refuse(pointer, 'location_mismatch', detail);
}

/** Checks the limit of the machine. Volumes that are still on their way from another machine count as well. */
export async function requirePlace(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'event'>,
  vm: Pick<VmRow, 'id'>,
): Promise<void> {
  const held = new Set((await volumesOf(call.db, vm.id)).map(({ id }) => id));
  for (const { id, type } of await queueOf(call.db, [vm.id])) {
    const operation = type === attachVolumeKind.type ? await readOperation(call.db, id) : undefined;
    const { vm_id } = (operation?.input ?? {}) as { vm_id?: string };
    if (operation?.resource_id && vm_id === vm.id) held.add(operation.resource_id);
  }
  await requireRoomIn(call, 'flexible-vps.volumes-per-vm', vm.id, { before: held.size });
}
