/**
 * The core of the compute sandbox. Its hosts and the images and ISOs of the provider are fixtures; machines, volumes, networks
 * and the images of accounts are stored.
 */
import type { Image as CatalogueImage, Iso as CatalogueIso } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import { missing, SandboxCore, type SandboxCoreOptions } from '../../sandbox/core.ts';
import { type Name, StateStore } from '../../sandbox/store.ts';
import { type Task, TIMES } from './durations.ts';
import type { CallName, OwnEffect } from './faults.ts';
import { type Machine, type Moment, restsAt, type States } from './state.ts';
import { type ComputeStateStore, type HostSpec, release, SANDBOX_CHANNEL, writeHosts } from './store.ts';

export { missing, nameOf } from '../../sandbox/core.ts';

interface Fixtures {
  readonly hosts: readonly HostSpec[];
  /** The images and ISOs of the provider, which a reload of the configuration can change. */
  readonly images: () => readonly CatalogueImage[];
  readonly isos: () => readonly CatalogueIso[];
}

export interface ComputeSandbox {
  readonly call: CallName;
  readonly states: States;
  readonly effect: OwnEffect;
  readonly task: Task;
  readonly fixtures: Fixtures;
}

export type ComputeCore = SandboxCore<ComputeSandbox>;

/**
 * Deletes the machine and releases its capacity on the host. Its volumes stay, attached to no machine. Returns false if
 * the machine does not exist.
 */
export async function removeMachine(store: ComputeStateStore, name: Name): Promise<boolean> {
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
async function loseObject(store: ComputeStateStore, name: Name): Promise<boolean> {
  if (await removeMachine(store, name)) return true;
  for (const kind of ['volume', 'gateway', 'iso'] as const) {
    if ((await store.lock(kind, name)) === null) continue;
    await store.delete(kind, name);
    return true;
  }
  return false;
}

interface ComputeCoreOptions extends Fixtures, Pick<SandboxCoreOptions<ComputeSandbox>, 'pace' | 'listener'> {
  readonly db: Db;
  readonly location: string;
}

export function openComputeCore({
  db,
  location,
  hosts,
  images,
  isos,
  pace,
  listener,
}: ComputeCoreOptions): ComputeCore {
  const store: ComputeStateStore = new StateStore(db, location);
  return new SandboxCore<ComputeSandbox>({
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
export type Change = (store: ComputeStateStore, machine: Machine, now: Moment) => Promise<Machine | null>;

/** Changes a machine when no other task is in progress on it. Returns false if the machine does not exist. */
export const change = (
  core: ComputeCore,
  name: Name,
  signal: AbortSignal | undefined,
  apply: Change,
): Promise<boolean> => core.change('machine', name, signal, { restsAt, apply });

export async function changePresent(
  core: ComputeCore,
  name: Name,
  signal: AbortSignal | undefined,
  apply: Change,
): Promise<void> {
  if (!(await change(core, name, signal, apply))) throw missing('machine', name.id);
}
