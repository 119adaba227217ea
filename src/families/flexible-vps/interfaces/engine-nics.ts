/** Brings an interface at the engine to what the tables say of it, and looks whether it is. */
import { type ComputeEngine, EngineRefused, type Nic } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import { canonicalJson } from '../../../kernel/audit/entry.ts';
import { failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { nicsOf } from '../vms/create-instance.ts';
import { refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

type Asking = Pick<Work<unknown>, 'db' | 'services' | 'signal'>;

/** The machine, if it is still as the endpoint needs it: throws what the call itself would have been refused with. */
export async function stillFit(
  { db }: Pick<Asking, 'db'>,
  vmId: string,
  endpointId: string,
): Promise<VmRow | null> {
  const vm = await readVm(db, vmId);
  if (vm === undefined) return null;
  vmLife.require(endpointId, vm.status);
  return vm;
}

const inOrder = (nic: Nic): string => canonicalJson({ ...nic, aliases: nic.aliases.toSorted() });

/** Null: all is as it should be. */
export async function plug(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  const nic = (await nicsOf(work.db, vm.id)).find(({ id }) => id === interfaceId);
  if (nic === undefined) return failed('not_found', 'The interface is gone.');
  const engine = engineAt(work.services.compute, vm.location);
  await engine.ensureNic(refOf(vm), nic, work.signal);
  const seen = await observedNic(engine, vm, interfaceId, work.signal);
  return seen !== undefined && inOrder(seen) === inOrder(nic)
    ? null
    : failed('engine_failed', 'The interface is not as it was set.', true);
}

export async function unplug(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  const engine = engineAt(work.services.compute, vm.location);
  await engine.removeNic(refOf(vm), interfaceId, work.signal);
  return (await observedNic(engine, vm, interfaceId, work.signal)) === undefined
    ? null
    : failed('engine_failed', 'The interface is still there though it was removed.', true);
}

async function observedNic(
  engine: ComputeEngine,
  vm: VmRow,
  interfaceId: string,
  signal: AbortSignal,
): Promise<Nic | undefined> {
  const instance = await engine.observeInstance(refOf(vm), signal);
  return instance?.nics.find(({ id }) => id === interfaceId);
}

/** A machine that lost something is brought in line too; one that was never made or is lost has nothing to lose. */
export async function plugIfThere(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  try {
    return await plug(work, vm, interfaceId);
  } catch (error) {
    if (error instanceof EngineRefused && error.code === 'not_found') return null;
    throw error;
  }
}
