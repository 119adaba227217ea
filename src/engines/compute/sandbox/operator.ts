/** What an operator may do to the sandbox from outside, in any location and without its driver. */
import type { OperationErrorCode } from '../../../kernel/operations/schema.ts';
import type { Db } from '../../../store/database.ts';
import { EngineRefused } from '../../errors.ts';
import {
  type CallName,
  callNames,
  type Effect,
  type EffectKind,
  effectMeanings,
  type Fault,
  type NewFault,
} from './faults.ts';
import { haltInside } from './guest-actions.ts';
import { present } from './machines.ts';
import { Room } from './room.ts';
import { addFault, clearFaults, type Found, listFaults, locationsInUse, RoomStore } from './store.ts';

const SECONDS = 5;

const mishaps = {
  shutdown: 'the guest shuts itself down',
  reboot: 'the guest restarts itself',
  crash: 'the guest crashes',
  lose: 'the machine is gone, with its disk and its snapshots',
} as const;
type Mishap = keyof typeof mishaps;

interface Order extends Omit<NewFault, 'call' | 'effect'> {
  readonly effect: string;
  readonly call?: string | undefined;
  readonly seconds?: number | undefined;
  readonly code?: OperationErrorCode | undefined;
  readonly detail?: string | undefined;
}

function effectOf({ effect, seconds = SECONDS, code = 'engine_failed', detail }: Order): Effect {
  const kind = effect as EffectKind;
  switch (kind) {
    case 'fail':
      return { kind, code, detail: detail ?? 'The sandbox was told to fail.' };
    case 'slow':
    case 'late':
      return { kind, seconds };
    default:
      return { kind };
  }
}

const orderFault = (db: Db, order: Order): Promise<Fault> => {
  const { location, target, skip, times } = order;
  return addFault(db, {
    location,
    target,
    skip,
    times,
    call: order.call as CallName | undefined,
    effect: effectOf(order),
  });
};

interface Place extends Found<'machine'> {
  readonly location: string;
}

async function allMachines(db: Db): Promise<Place[]> {
  const all: Place[] = [];
  for (const location of await locationsInUse(db)) {
    const machines = await new RoomStore(db, location).machines();
    all.push(...machines.map((machine) => ({ ...machine, location })));
  }
  return all;
}

async function listMachines(db: Db) {
  const now = await new RoomStore(db, '').now();
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
  const furniture = { hosts: [], images: [], pace: 1 };
  const room = new Room(location, new RoomStore(db, location), furniture, true);
  if (mishap === 'lose') return room.lose(found);
  try {
    await haltInside(room, { account, id }, mishap === 'crash' ? 'crashed' : mishap);
    return true;
  } catch (error) {
    if (error instanceof EngineRefused) return false;
    throw error;
  }
}

export const sandboxDesk = {
  effects: effectMeanings,
  calls: callNames,
  mishaps,
  listFaults,
  addFault: orderFault,
  clearFaults,
  listMachines,
  befall,
};
