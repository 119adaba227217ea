/** Calls to the engine about volumes, each with a check of the result. */
import { type ComputeEngine, EngineRefused, EngineUnreachable } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { refOf } from '../vms/guest.ts';
import { alive } from '../vms/lifecycle.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { VolumeRow } from './table.ts';

export type Asking = Pick<Work<unknown>, 'db' | 'services' | 'signal'>;

export const engineOf = ({ services }: Pick<Asking, 'services'>, { location }: Pick<VolumeRow, 'location'>) =>
  engineAt(services.compute, location);

/** The states of a machine in which its volumes can change. */
export function requireAlive({ status }: Pick<VmRow, 'status'>): void {
  if (alive.includes(status)) return;
  if (status === 'suspended') throw new Problem('resource_suspended');
  throw new Problem('invalid_state', {
    detail: `The machine is ${status}. Its volumes can be changed only in other states.`,
    extra: { current_state: status, allowed_states: alive },
  });
}

/** A machine can lose its volumes also in `error`: the machine may be lost, and the volume is not. */
export function requireReleasable({ status }: Pick<VmRow, 'status'>): void {
  if (status !== 'error') requireAlive({ status });
}

/** Returns null if the machine was deleted. Throws if it does not accept volumes any more. */
export async function stillAlive({ db }: Pick<Asking, 'db'>, vmId: string): Promise<VmRow | null> {
  const vm = await readVm(db, vmId);
  if (vm === undefined) return null;
  requireAlive(vm);
  return vm;
}

/** Refuses what needs a stopped machine, or none. */
export function requireStopped(vm: Pick<VmRow, 'status'> | undefined, why: string): void {
  if (vm === undefined || vm.status === 'stopped') return;
  throw new Problem('vm_not_stopped', {
    detail: why,
    extra: { current_state: vm.status, allowed_states: ['stopped'] },
  });
}

const lied = (detail: string): EngineUnreachable => new EngineUnreachable(detail);

/**
 * Attaches the volume. The tables decide which machine has it: if a failed operation left it attached to another
 * machine, it is detached there first. Only for operations, which have the time to wait for a move.
 */
export async function plugVolume(work: Asking, row: VolumeRow, vmId: string): Promise<void> {
  const { signal } = work;
  const engine = engineOf(work, row);
  const ref = refOf(row);
  const to = { instance: vmId, mayMove: true };
  await engine.ensureVolumeAttached(ref, to, signal).catch(async (error: unknown) => {
    if (!(error instanceof EngineRefused && error.code === 'already_attached')) throw error;
    const instance = (await engine.observeVolume(ref, signal))?.instance ?? null;
    if (instance !== null) await engine.ensureVolumeDetached(ref, { instance, force: true }, signal);
    await engine.ensureVolumeAttached(ref, to, signal);
  });
  const after = await engine.observeVolume(ref, signal);
  if (after === null) throw new EngineRefused('engine_failed', 'The engine cannot find the volume.');
  if (after.instance !== vmId)
    throw lied('The engine attached the volume, but the machine does not have it.');
}

export async function unplugVolume(
  work: Asking,
  row: VolumeRow,
  instance: string,
  force: boolean,
): Promise<void> {
  const engine = engineOf(work, row);
  await engine.ensureVolumeDetached(refOf(row), { instance, force }, work.signal);
  const after = await engine.observeVolume(refOf(row), work.signal);
  if (after?.instance === instance)
    throw lied('The engine detached the volume, but the machine still has it.');
}

/** Removes the volume with its snapshots from the engine, also if a failed operation left it attached to a machine. */
export async function removeVolume(
  engine: ComputeEngine,
  row: Pick<VolumeRow, 'id' | 'account_id'>,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(row);
  const before = await engine.observeVolume(ref, signal);
  if (before !== null && before.instance !== null)
    await engine.ensureVolumeDetached(ref, { instance: before.instance, force: true }, signal);
  await engine.removeVolume(ref, signal);
  if ((await engine.observeVolume(ref, signal)) !== null)
    throw lied('The engine removed the volume, but still reports it.');
}
