/**
 * The room of the compute sandbox. Its hosts and the images and ISOs of the provider are fixtures; machines, volumes, networks
 * and the images of accounts are stored.
 */
import type { Image as CatalogueImage, Iso as CatalogueIso } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import { missing, type RoomOptions, Room as SandboxRoom } from '../../sandbox/room.ts';
import { type Name, StateStore } from '../../sandbox/store.ts';
import { type Task, TIMES } from './durations.ts';
import type { CallName, OwnEffect } from './faults.ts';
import { type Machine, type Moment, restsAt, type States } from './state.ts';
import { type HostSpec, type RoomStore, release, SANDBOX_CHANNEL, writeHosts } from './store.ts';

export { missing, nameOf } from '../../sandbox/room.ts';

interface Fixtures {
  readonly hosts: readonly HostSpec[];
  /** The images and ISOs of the provider, which a reload of the configuration can change. */
  readonly images: () => readonly CatalogueImage[];
  readonly isos: () => readonly CatalogueIso[];
}

interface ComputeSandbox {
  readonly call: CallName;
  readonly states: States;
  readonly effect: OwnEffect;
  readonly task: Task;
  readonly fixtures: Fixtures;
}

export type Room = SandboxRoom<ComputeSandbox>;

/**
 * Deletes the machine and releases its capacity on the host. Its volumes stay, attached to no machine. Returns false if
 * the machine does not exist.
 */
export async function removeMachine(store: RoomStore, name: Name): Promise<boolean> {
  const machine = await store.lock('machine', name);
  if (machine === null) return false;
  for (const { id } of await store.containing('volume', name.project, { instance: name.id })) {
    const volume = await store.lock('volume', { project: name.project, id });
    if (volume?.instance === name.id)
      await store.update('volume', { project: name.project, id }, { ...volume, instance: null });
  }
  await store.delete('machine', name);
  await release(store, machine);
  return true;
}

/** For the fault `lose`: the object is the machine, the volume, the gateway or the ISO that the call names. */
async function loseObject(store: RoomStore, name: Name): Promise<boolean> {
  if (await removeMachine(store, name)) return true;
  for (const kind of ['volume', 'gateway', 'iso'] as const) {
    if ((await store.lock(kind, name)) === null) continue;
    await store.delete(kind, name);
    return true;
  }
  return false;
}

interface ComputeRoomOptions extends Fixtures, Pick<RoomOptions<ComputeSandbox>, 'pace' | 'listener'> {
  readonly db: Db;
  readonly location: string;
}

export function openRoom({ db, location, hosts, images, isos, pace, listener }: ComputeRoomOptions): Room {
  const store: RoomStore = new StateStore(db, location);
  return new SandboxRoom<ComputeSandbox>({
    store,
    fixtures: { hosts, images, isos },
    times: TIMES,
    pace,
    channel: SANDBOX_CHANNEL,
    listener,
    prepare: () => writeHosts(store, hosts),
    remove: loseObject,
  });
}

/** Returns the changed machine, or null if nothing has to change. */
export type Change = (store: RoomStore, machine: Machine, now: Moment) => Promise<Machine | null>;

/** Changes a machine when no other task is in progress on it. Returns false if the machine does not exist. */
export const change = (
  room: Room,
  name: Name,
  signal: AbortSignal | undefined,
  apply: Change,
): Promise<boolean> => room.change('machine', name, signal, { restsAt, apply });

export async function changePresent(
  room: Room,
  name: Name,
  signal: AbortSignal | undefined,
  apply: Change,
): Promise<void> {
  if (!(await change(room, name, signal, apply))) throw missing('machine', name.id);
}
