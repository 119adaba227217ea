/** Creates, places, observes, changes and removes machines. */
import { isDeepStrictEqual } from 'node:util';
import { EngineRefused } from '../../errors.ts';
import type { Name } from '../../sandbox/store.ts';
import type {
  Guest,
  Instance,
  InstanceSpec,
  Nic,
  Placement,
  Ref,
  Rescue,
  Size,
  Source,
} from '../instance.ts';
import { chooseHost, freeOf } from '../placement.ts';
import type { Fit, HostCapacity } from '../port.ts';
import { type ComputeCore, change, changePresent, missing, nameOf, removeMachine } from './core.ts';
import { type Origin, originOfImage } from './images.ts';
import { driveOf } from './isos.ts';
import { currentBoot, isOn, type Machine, type Moment, restsAt } from './state.ts';
import { type ComputeStateStore, hostsOf, lockGroup, readHosts, reserve } from './store.ts';

const AGENT_VERSION = '1.0.0-sandbox';
const BYTES_PER_FILE = 4096;

const details = {
  capacity_unavailable: 'No host of this location has room for a machine of this size.',
  placement_unsatisfiable: 'No host with room for it satisfies the placement group.',
} as const;

type Refused = keyof typeof details;
const refusalOf = (code: Refused): EngineRefused => new EngineRefused(code, details[code]);

/** Chooses a host and reserves capacity on it. Chooses again if another transaction took the capacity first. */
export async function place(
  store: ComputeStateStore,
  project: string,
  size: Size,
  placement: Placement | null,
): Promise<string> {
  if (placement !== null) await lockGroup(store, placement.groupId);
  const taken = await hostsOf(store, project, placement?.others ?? []);
  for (;;) {
    const choice = chooseHost(await readHosts(store), size, placement, taken);
    if ('refused' in choice) throw refusalOf(choice.refused);
    if (await reserve(store, choice.host, size)) return choice.host;
  }
}

export async function fits(
  { store }: ComputeCore,
  project: string,
  size: Size,
  placement: Placement | null,
): Promise<Fit> {
  const taken = await hostsOf(store, project, placement?.others ?? []);
  const choice = chooseHost(await readHosts(store), size, placement, taken);
  if ('host' in choice) return { fits: true };
  return { fits: false, code: choice.refused, detail: details[choice.refused] };
}

export async function readCapacity({ store }: ComputeCore): Promise<HostCapacity[]> {
  return (await readHosts(store)).map((host) => ({
    host: host.name,
    total: host.total,
    free: freeOf(host),
  }));
}

const BLANK: Origin = {
  disk: {},
  seeded: null,
  system: { distribution: 'blank', version: '', defaultUser: 'root', hasCloudInit: false, hasAgent: false },
  image: null,
  minDiskGb: 0,
  task: 'create',
};

async function originOf(
  core: ComputeCore,
  store: ComputeStateStore,
  project: string,
  source: Source,
): Promise<Origin> {
  if ('image' in source) return originOfImage(core, store, source.image);
  if ('blank' in source) return BLANK;
  const machine = await store.find('machine', { project, id: source.instance });
  if (machine === null) throw missing('machine', source.instance);
  const { disk, seeded, system, image, size } = machine;
  if (source.snapshot === undefined)
    return { disk, seeded, system, image, minDiskGb: size.diskGb, task: 'copy' };
  const snapshot = machine.snapshots.find(({ id }) => id === source.snapshot);
  if (snapshot === undefined) throw missing('snapshot', source.snapshot);
  return { ...snapshot, minDiskGb: snapshot.diskGb, task: 'copy' };
}

export function requireDisk({ minDiskGb }: Origin, { diskGb }: Size): void {
  if (diskGb >= minDiskGb) return;
  throw new EngineRefused(
    'engine_failed',
    `A disk of ${diskGb} GB is too small: ${minDiskGb} GB are needed.`,
  );
}

async function requireNetwork(store: ComputeStateStore, project: string, { network }: Nic): Promise<void> {
  if (network === null || (await store.hold('network', { project, id: network }))) return;
  throw missing('network', network);
}

export async function ensureInstance(
  core: ComputeCore,
  ref: Ref,
  spec: InstanceSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const pending = await core.store.transact(async (store) => {
    const present = await store.lock('machine', name);
    const now = await store.now();
    if (present !== null) return restsAt(present) - now;
    const origin = await originOf(core, store, name.project, spec.source);
    requireDisk(origin, spec.size);
    for (const nic of spec.nics) await requireNetwork(store, name.project, nic);
    const host = await place(store, name.project, spec.size, spec.placement);
    const ms = core.takes(origin.task);
    await store.insert('machine', name, newMachine(spec, origin, host, now, ms));
    return ms;
  });
  await core.pause(pending, signal);
}

function newMachine(
  { size, architecture, nics, guest }: InstanceSpec,
  { disk, system, image, seeded }: Origin,
  host: string,
  now: Moment,
  ms: number,
): Machine {
  return {
    host,
    size,
    architecture,
    nics: sorted(nics),
    guest,
    image,
    system,
    disk,
    seeded,
    createdAt: now,
    madeAt: now + ms,
    busyUntil: now,
    logSince: now,
    power: { on: false, at: now },
    problem: null,
    rescue: null,
    drive: null,
    boots: [],
    snapshots: [],
    once: [],
  };
}

const sorted = (nics: readonly Nic[]): Nic[] => [...nics].sort((a, b) => a.index - b.index);

export function present({ project, id }: Name, machine: Machine, now: Moment): Instance {
  const isRunning = isOn(machine, now);
  const boot = currentBoot(machine);
  const isUp =
    isRunning && boot !== undefined && now >= boot.upAt && !boot.isRescue && (boot.from ?? 'disk') === 'disk';
  const { problem, size, nics, image, guest, host, system } = machine;
  return {
    account: project,
    id,
    state:
      problem !== null ? 'broken' : now < machine.madeAt ? 'creating' : isRunning ? 'running' : 'stopped',
    problem,
    size,
    nics,
    image,
    hostname: guest.hostname,
    seed: guest.seed,
    host,
    startedAt: isRunning && boot !== undefined ? new Date(boot.at) : null,
    agent: isUp && system.hasAgent ? { version: AGENT_VERSION } : null,
    drive: driveOf(machine),
    rescue: { wanted: machine.rescue !== null, active: isRunning && boot?.isRescue === true },
    snapshots: machine.snapshots
      .filter(({ at }) => at <= now)
      .map(({ id, at, disk, diskGb, consistency }) => ({
        id,
        createdAt: new Date(at),
        sizeBytes: Object.keys(disk).length * BYTES_PER_FILE,
        diskGb,
        consistency,
      })),
  };
}

export async function observeInstance({ store }: ComputeCore, ref: Ref): Promise<Instance | null> {
  const machine = await store.find('machine', nameOf(ref));
  return machine === null ? null : present(nameOf(ref), machine, await store.now());
}

export async function observeInstances({ store }: ComputeCore): Promise<Instance[]> {
  const machines = await store.list('machine');
  if (machines.length === 0) return [];
  const now = await store.now();
  return machines.map((found) => present(found, found.state, now));
}

export async function removeInstance(
  core: ComputeCore,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wasThere = await core.store.transact((store) => removeMachine(store, nameOf(ref)));
  if (wasThere) await core.pause(core.takes('remove'), signal);
}

export const ensureGuest = (core: ComputeCore, ref: Ref, guest: Guest, signal: AbortSignal | undefined) =>
  changePresent(core, nameOf(ref), signal, async (_, machine) => ({ ...machine, guest }));

export const ensureRescue = (
  core: ComputeCore,
  ref: Ref,
  rescue: Rescue | null,
  signal: AbortSignal | undefined,
) => changePresent(core, nameOf(ref), signal, async (_, machine) => ({ ...machine, rescue }));

export const ensureNic = (core: ComputeCore, ref: Ref, nic: Nic, signal: AbortSignal | undefined) =>
  changePresent(core, nameOf(ref), signal, async (store, machine, now) => {
    await requireNetwork(store, ref.account, nic);
    const others = machine.nics.filter(({ id }) => id !== nic.id);
    if (machine.nics.some((present) => isDeepStrictEqual(present, nic))) return null;
    return { ...machine, nics: sorted([...others, nic]), busyUntil: now + core.takes('nic') };
  });

export const removeNic = (core: ComputeCore, ref: Ref, nicId: string, signal: AbortSignal | undefined) =>
  change(core, nameOf(ref), signal, async (_, machine, now) => {
    if (!machine.nics.some(({ id }) => id === nicId)) return null;
    const nics = machine.nics.filter(({ id }) => id !== nicId);
    return { ...machine, nics, busyUntil: now + core.takes('nic') };
  });
