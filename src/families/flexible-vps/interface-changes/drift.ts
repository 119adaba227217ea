/**
 * Reconciles the interfaces at the engine with the tables: removes what a failed attach left, restores what was
 * lost. The engine is observed before the tables are read. An interface is in the tables before it is plugged in,
 * so one that only the engine has is a leftover.
 */
import type { ComputeEngine, Instance, Nic } from '../../../engines/compute/port.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { type AddressedInterface, readInterfaces } from '../interfaces/store.ts';
import { readVm } from '../vms/store.ts';
import { plug, unplug } from './engine-nics.ts';

const AT_ONCE = 200;

const single = (aliases: readonly string[]): string =>
  aliases
    .filter((alias) => !alias.includes('/'))
    .toSorted()
    .join(' ');

/** Ignores prefixes: each is added and removed together with its first address, which is compared. */
const differs = (nic: Nic, { routed, anti_spoofing }: AddressedInterface): boolean =>
  nic.ipv4 !== routed.ipv4 ||
  nic.ipv6 !== routed.ipv6 ||
  nic.antiSpoofing !== anti_spoofing ||
  single(nic.aliases) !== single(routed.aliases);

interface Drift {
  readonly vmId: string;
  readonly strays: readonly string[];
  readonly astray: readonly string[];
}

function driftOf({ id, nics }: Instance, rows: readonly AddressedInterface[]): Drift {
  const known = rows.filter(({ vm_id }) => vm_id === id);
  const strays = nics.filter((nic) => !known.some((row) => row.id === nic.id));
  const astray = known.filter((row) => {
    const nic = nics.find((each) => each.id === row.id);
    return row.status === 'active' && (nic === undefined || differs(nic, row));
  });
  return { vmId: id, strays: strays.map((nic) => nic.id), astray: astray.map((row) => row.id) };
}

async function align(services: Services, { vmId, strays, astray }: Drift): Promise<void> {
  const { db } = services;
  const vm = await readVm(db, vmId);
  if (vm === undefined) return;
  const work = { db, services, signal: patience() };
  for (const id of strays) await unplug(work, vm, id);
  const isSettled = vm.status === 'running' || vm.status === 'stopped';
  // A pending operation corrects the interfaces itself.
  if (!isSettled || (await pendingOn(db, [vmId])).size > 0) return;
  for (const id of astray) await plug(work, vm, id);
}

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const found = await engine.observeInstances(patience());
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE);
    const rows = await readInterfaces(
      services.db,
      some.map(({ id }) => id),
    );
    const drifts = some.map((instance) => driftOf(instance, rows));
    for (const drift of drifts.filter(({ strays, astray }) => strays.length + astray.length > 0))
      await align(services, drift).catch((err: unknown) =>
        services.log.warn({ err, ...drift }, 'interfaces could not be brought in line'),
      );
  }
}

export const interfaceDrift: Schedule = {
  name: 'flexible-vps.interfaces',
  everySeconds: 180,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
