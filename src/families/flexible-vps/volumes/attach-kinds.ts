/**
 * Operations that attach volumes to machines and detach them. An accepted call writes the machine to the row at once,
 * so that no other call gets the volume. A volume that moves keeps its machine until it is detached there.
 */
import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Tx } from '../../../store/database.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { plugVolume, requireReleasable, stillAlive, unplugVolume } from './engine-volume.ts';
import { settledStatus } from './lifecycle.ts';
import { volumes } from './resource.ts';
import { lockVolume, readVolume } from './store.ts';
import type { VolumeRow } from './table.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'volume',
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
} as const;

export const GONE = failed('not_found', 'The machine is gone.');

/** Runs a step with the volume of the operation; fails if the volume was deleted. */
export const withVolume =
  <I>(run: (work: Work<I>, row: VolumeRow) => Promise<Outcome>) =>
  async (work: Work<I>): Promise<Outcome> => {
    const row = await readVolume(work.db, work.resourceId);
    return row === undefined ? failed('not_found', 'The volume is gone.') : run(work, row);
  };

/** Increases the version of the machine too, because a machine shows its volumes. */
export async function attached(tx: Tx, row: VolumeRow, vm: VmRow): Promise<NewEvent[]> {
  await updateVm(tx, vm.id, {});
  await volumes.change(tx, row.id, { status: 'attached', vm_id: vm.id }, { keepsPrice: true });
  return [volumes.event('attached', row, { says: `was attached to the machine ${vm.name}` })];
}

/** Deletions of the volume may wait for this; the volume then stays `deleting`, so that no other call gets it. */
export async function detached(
  tx: Tx,
  row: VolumeRow,
  vm: Pick<VmRow, 'id' | 'name'> | undefined,
  next: { readonly status: VolumeRow['status']; readonly vm_id: string | null },
): Promise<NewEvent[]> {
  if (vm !== undefined) await updateVm(tx, vm.id, {});
  const present = await lockVolume(tx, row.account_id, row.id);
  const isDeleted = present?.status === 'deleting' && next.vm_id === null;
  const after = isDeleted ? { ...next, status: 'deleting' as const } : next;
  await volumes.change(tx, row.id, after, { keepsPrice: true });
  await wakeOperations(tx, row.id);
  const from = vm === undefined ? 'its machine' : `the machine ${vm.name}`;
  return [volumes.event('detached', row, { says: `was detached from ${from}` })];
}

const AttachInput = Shape({
  vm_id: Type.String(),
  /** The machine that loses the volume; the operation holds its queue too. */
  from: Nullable(Type.String()),
});
type AttachInput = Static<typeof AttachInput>;

async function release(work: Work<AttachInput>, row: VolumeRow): Promise<Outcome> {
  const { db, input } = work;
  const target = await stillAlive(work, input.vm_id);
  if (target === null) return GONE;
  if (row.vm_id === null || row.vm_id === target.id) return done();
  if (row.vm_id !== input.from)
    throw new Problem('already_attached', { detail: `The machine ${row.vm_id} has the volume now.` });
  await unplugVolume(work, row, row.vm_id, false);
  const loser = await readVm(db, row.vm_id);
  return done({}, async (tx) => {
    await updateVm(tx, target.id, {});
    return detached(tx, row, loser, { status: 'attaching', vm_id: target.id });
  });
}

export const attachVolumeKind = kind<typeof AttachInput>({
  ...common,
  type: 'volume.attach',
  input: AttachInput,
  steps: [
    step('release', withVolume(release)),
    step(
      'attach',
      withVolume(async (work, row) => {
        const vm = await stillAlive(work, work.input.vm_id);
        if (vm === null) return GONE;
        await plugVolume(work, row, vm.id);
        return done({ changed: true }, (tx) => attached(tx, row, vm));
      }),
    ),
  ],
  async settle(tx, { status, resourceId }) {
    const row = status === 'succeeded' ? undefined : await readVolume(tx, resourceId);
    if (row === undefined || row.vm_id === null) return undefined;
    await updateVm(tx, row.vm_id, {});
    // Still on the machine that was to lose it, or not yet on the other.
    const vm_id = row.status === 'attaching' ? null : row.vm_id;
    await volumes.change(tx, row.id, { vm_id, status: settledStatus({ vm_id }) }, { keepsPrice: true });
    return undefined;
  },
});

const DetachInput = Shape({ vm_id: Type.String(), force: Type.Boolean() });

export const detachVolumeKind = kind<typeof DetachInput>({
  ...common,
  type: 'volume.detach',
  input: DetachInput,
  steps: [
    step(
      'detach',
      withVolume(async (work, row) => {
        const { vm_id, force } = work.input;
        if (row.vm_id !== vm_id) return done({ changed: false });
        const vm = await readVm(work.db, vm_id);
        if (vm !== undefined) requireReleasable(vm);
        await unplugVolume(work, row, vm_id, force);
        return done({ changed: true }, (tx) => detached(tx, row, vm, { status: 'available', vm_id: null }));
      }),
    ),
  ],
  async settle(tx, { status, resourceId }) {
    const row = status === 'succeeded' ? undefined : await readVolume(tx, resourceId);
    if (row?.status === 'detaching')
      await volumes.change(tx, row.id, { status: settledStatus(row) }, { keepsPrice: true });
    return undefined;
  },
});
