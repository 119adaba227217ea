/** Applies the state of an interface in the tables to the engine, and checks the result. */
import { type ComputeEngine, EngineRefused, type Nic } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import { failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import type { Db } from '../../../store/database.ts';
import { type AddressedInterface, readInterfaces } from '../interfaces/store.ts';
import { refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

type Asking = Pick<Work<unknown>, 'db' | 'services' | 'signal'>;

/**
 * Reads the machine again; null if it was deleted. If its state no longer allows the endpoint, this throws the
 * problem with which the call would be refused.
 */
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

/** `prefixes` are routed to the interface in addition to the addresses that its guest configures. */
function nicOf(row: AddressedInterface, prefixes: readonly string[]): Nic {
  const { ipv4, ipv6, aliases } = row.routed;
  return {
    id: row.id,
    index: row.position,
    network: row.network_id,
    mac: row.mac,
    ipv4,
    ipv6,
    aliases: [...aliases, ...prefixes],
    antiSpoofing: row.anti_spoofing,
  };
}

export async function nicsOf(db: Db, vmId: string): Promise<Nic[]> {
  const interfaces = await readInterfaces(db, [vmId]);
  const blocks = await attachedAddresses(db, [vmId]);
  return interfaces.map((row) => {
    const prefixes = blocks
      .filter(
        ({ interface_id, block, routing }) =>
          interface_id === row.id && block.endsWith('/64') && routing === 'normal',
      )
      .map(({ block }) => block);
    return nicOf(row, prefixes);
  });
}

const inOrder = (nic: Nic): string => canonicalJson({ ...nic, aliases: nic.aliases.toSorted() });

/** Returns null on success. */
export async function plug(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  const nic = (await nicsOf(work.db, vm.id)).find(({ id }) => id === interfaceId);
  if (nic === undefined) return failed('not_found', 'The interface is gone.');
  const engine = engineAt(work.services.compute, vm.location);
  await engine.ensureNic(refOf(vm), nic, work.signal);
  const seen = await observedNic(engine, vm, interfaceId, work.signal);
  return seen !== undefined && inOrder(seen) === inOrder(nic)
    ? null
    : failed('engine_failed', 'The engine has other settings for the interface than requested.', true);
}

export async function unplug(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  const engine = engineAt(work.services.compute, vm.location);
  await engine.removeNic(refOf(vm), interfaceId, work.signal);
  return (await observedNic(engine, vm, interfaceId, work.signal)) === undefined
    ? null
    : failed('engine_failed', 'The engine reported the interface as removed, but still has it.', true);
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

/**
 * `plug` for a machine that loses an address: if the engine does not have the machine, there is nothing to remove.
 */
export async function plugIfThere(work: Asking, vm: VmRow, interfaceId: string): Promise<Outcome | null> {
  try {
    return await plug(work, vm, interfaceId);
  } catch (error) {
    if (error instanceof EngineRefused && error.code === 'not_found') return null;
    throw error;
  }
}
