/** What operators can do with the machines of the sandbox. */
import type { Db } from '../../../store/database.ts';
import { EngineRefused } from '../../errors.ts';
import type { SandboxObjects } from '../../sandbox/operator.ts';
import { type Found, StateStore } from '../../sandbox/store.ts';
import { openComputeCore } from './core.ts';
import { haltInside } from './guest-actions.ts';
import { present } from './machines.ts';
import type { Machine } from './state.ts';
import { type ComputeStateStore, locationsInUse } from './store.ts';

const mishaps = {
  shutdown: 'the guest shuts itself down',
  reboot: 'the guest restarts itself',
  crash: 'the guest crashes',
  lose: 'the machine is gone, with its disk and its snapshots',
} as const;
type Mishap = keyof typeof mishaps;

interface Place extends Found<Machine> {
  readonly location: string;
}

const storeAt = (db: Db, location: string): ComputeStateStore => new StateStore(db, location);

async function allMachines(db: Db): Promise<Place[]> {
  const all: Place[] = [];
  for (const location of await locationsInUse(db)) {
    const machines = await storeAt(db, location).list('machine');
    all.push(...machines.map((machine) => ({ ...machine, location })));
  }
  return all;
}

async function listMachines(db: Db) {
  const now = await storeAt(db, '').now();
  return (await allMachines(db)).map((found) => {
    const { location, project: account, id, state: machine } = found;
    const { hostname, state, host, startedAt } = present(found, machine, now);
    const { vcpus, memoryMb: memory_mb, diskGb: disk_gb } = machine.size;
    return { location, account, id, hostname, state, host, vcpus, memory_mb, disk_gb, started_at: startedAt };
  });
}

async function befall(db: Db, machineId: string, named: string): Promise<boolean> {
  const mishap = named as Mishap;
  const found = (await allMachines(db)).find(({ id }) => id === machineId);
  if (found === undefined) return false;
  const { location, project: account, id } = found;
  const core = openComputeCore({ db, location, hosts: [], images: () => [], isos: () => [], pace: 1 });
  if (mishap === 'lose') return core.lose(found);
  try {
    await haltInside(core, { account, id }, mishap === 'crash' ? 'crashed' : mishap);
    return true;
  } catch (error) {
    if (error instanceof EngineRefused) return false;
    throw error;
  }
}

export const sandboxMachines: SandboxObjects = {
  noun: 'machine',
  command: 'machines',
  list: listMachines,
  mishaps,
  befall,
};
