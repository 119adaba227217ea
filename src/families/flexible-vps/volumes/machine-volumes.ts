/** What happens to volumes when machines are created and deleted. */
import type { Call } from '../../../kernel/call.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { pendingOn, wakeOperations } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { Faults } from '../faults.ts';
import type { VmRow } from '../vms/table.ts';
import { refuse } from './acceptance.ts';
import { type Asking, engineOf, plugVolume, removeVolume } from './engine-volume.ts';
import { volumeLife } from './lifecycle.ts';
import { volumes } from './resource.ts';
import { lockVolume, lockVolumesOf, readVolume, volumesOf } from './store.ts';
import type { VolumeRow } from './table.ts';

export interface NamedVolume {
  readonly pointer: string;
  readonly row: VolumeRow;
}

async function requireFree({ db }: Pick<Call, 'db'>, row: VolumeRow): Promise<void> {
  if (row.status === 'attached')
    throw new Problem('already_attached', {
      detail: `The volume ${row.name} is attached to another machine.`,
      nextStep: 'Detach the volume from the machine in attached_to first, or use another volume.',
      extra: { attached_to: row.vm_id },
    });
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  volumeLife.require('createVm', row.status, { operation });
}

/** Locks the volumes that a new machine gets, in the order of their ids, and checks that they are free. */
export async function resolveVolumes(
  call: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<NamedVolume[]> {
  const rows = new Map<string, VolumeRow>();
  for (const id of ids.toSorted()) {
    const row = await lockVolume(call.db, call.caller.account.id, id);
    if (row !== undefined) rows.set(id, row);
  }
  const faults = new Faults();
  const found: NamedVolume[] = [];
  for (const [i, id] of ids.entries()) {
    await faults.check(async () => {
      const pointer = `/volume_ids/${i}`;
      const row = rows.get(id);
      if (row === undefined)
        throw refuse(pointer, 'unknown_reference', 'There is no such volume in this account.');
      await requireFree(call, row);
      found.push({ pointer, row });
    });
  }
  faults.found({});
  return found;
}

/** Gives the volumes to a new machine. The operation that creates the machine attaches them. */
export async function giveVolumes(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'event' | 'effect'>,
  vm: Pick<VmRow, 'id'>,
  named: readonly NamedVolume[],
): Promise<void> {
  if (named.length === 0) return;
  await requireRoomIn(call, 'flexible-vps.volumes-per-vm', vm.id, { before: 0, after: named.length });
  for (const { row } of named) {
    await volumes.change(call.db, row.id, { status: 'attaching', vm_id: vm.id }, { keepsPrice: true });
    call.effect({ action: 'attach', ...volumes.ref(row) });
  }
}

/** Attaches all volumes that the tables give to the machine. */
export async function plugVolumesOf(work: Asking, vmId: string): Promise<void> {
  for (const row of await volumesOf(work.db, vmId)) await plugVolume(work, row, vmId);
}

/** Called when a creation ends: the machine has its volumes, or they are free again. */
export async function settleVolumes(tx: Tx, vm: VmRow, end: 'made' | 'failed'): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const row of await lockVolumesOf(tx, vm.id)) {
    if (row.status !== 'attaching') continue;
    const next =
      end === 'made' ? ({ status: 'attached' } as const) : ({ status: 'available', vm_id: null } as const);
    await volumes.change(tx, row.id, next, { keepsPrice: true });
    if (end === 'made')
      events.push(volumes.event('attached', row, { says: `was attached to the machine ${vm.name}` }));
  }
  return events;
}

/** Frees the volumes of a machine that is gone, and wakes deletions that wait for this. */
export async function freeVolumes(tx: Tx, vm: Pick<VmRow, 'id' | 'name'>): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const row of await lockVolumesOf(tx, vm.id)) {
    const isKept = row.status === 'deleting' || row.status === 'error';
    const next = { vm_id: null, ...(isKept ? {} : ({ status: 'available' } as const)) };
    await volumes.change(tx, row.id, next, { keepsPrice: true });
    await wakeOperations(tx, row.id);
    if (row.status !== 'attaching')
      events.push(volumes.event('detached', row, { says: `was detached from the machine ${vm.name}` }));
  }
  return events;
}

export type Fate = 'detach' | 'delete';

/** Shows what is going to happen to the volumes while the machine is being deleted. */
export async function beginFate(db: Db, vm: Pick<VmRow, 'id'>, fate: Fate): Promise<void> {
  const status = fate === 'delete' ? ('deleting' as const) : ('detaching' as const);
  for (const row of await lockVolumesOf(db, vm.id))
    if (row.status === 'attached') await volumes.change(db, row.id, { status }, { keepsPrice: true });
}

/** The deletion of the machine failed, so it still has its volumes. */
export async function endFate(tx: Tx, vmId: string): Promise<void> {
  for (const row of await lockVolumesOf(tx, vmId))
    if (row.status === 'detaching' || row.status === 'deleting')
      await volumes.change(tx, row.id, { status: 'attached' }, { keepsPrice: true });
}

/** Removes volumes that are deleted with their machine, one in each run. Returns the next one, if there is one. */
export async function removeNext(work: Asking, ids: readonly string[]): Promise<VolumeRow | undefined> {
  for (const id of ids) {
    const row = await readVolume(work.db, id);
    if (row?.status !== 'deleting') continue;
    await removeVolume(engineOf(work, row), row, work.signal);
    return row;
  }
  return undefined;
}

/** The deletion of volumes failed after their machine was gone: those that are left belong to no machine. */
export async function keepVolumes(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const row = await readVolume(tx, id);
    if (row?.status === 'deleting' && row.vm_id === null)
      await volumes.change(tx, id, { status: 'available' }, { keepsPrice: true });
  }
}
