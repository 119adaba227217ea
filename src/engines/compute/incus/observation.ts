/** Translates the engine's machines into the `Instance` type of the compute port. */
import type { ImageRef, Instance, InstanceState, Ref, Size, Snapshot } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys } from './config-keys.ts';
import { findRaw, pathOf, type RawInstance, type Site } from './driver-context.ts';
import { isPassing } from './failure.ts';
import { hostOf, readGivenUp } from './hosts.ts';
import { driveOf } from './isos.ts';
import { idOf, isGatewayName, nameOf, projectOf } from './names.ts';
import { nicsOf } from './nic-notes.ts';
import { isOurs } from './projects.ts';
import { sizeOf } from './quantities.ts';
import { readAllSnapshots, readSnapshots } from './snapshots.ts';

/** The reply of `GET /1.0/instances/NAME/state`. */
interface RawState {
  /** Negative if no agent in the guest answers. */
  readonly processes: number;
}

type Listed = RawInstance & { readonly state?: RawState | null };
/** A machine on a cluster member that does not answer. */
type Lost = Pick<RawInstance, 'name' | 'project' | 'status' | 'location'> & { readonly config: null };

const keyOf = ({ project, name }: Listed | Lost): string => `${project}/${name}`;
const isLost = (raw: Listed | Lost): raw is Lost => raw.config === null;

const NEVER = new Date('1971-01-01');
const NO_RESCUE = { wanted: false, active: false } as const;

/**
 * A machine whose creation was interrupted exists too, and looks like a stopped one. The engine sets
 * `volatile.apply_template` only when the disk is complete, and keeps it until the first start.
 */
export const isWhole = ({ config, last_used_at }: Pick<RawInstance, 'config' | 'last_used_at'>): boolean =>
  config['volatile.apply_template'] !== undefined ||
  config['volatile.last_state.power'] !== undefined ||
  new Date(last_used_at) > NEVER;

export const isRunning = ({ status }: Pick<RawInstance, 'status'>): boolean =>
  status === 'Running' || status === 'Frozen' || status === 'Freezing' || status === 'Thawed';

function stateOf(raw: RawInstance): InstanceState {
  if (raw.status === 'Error') return 'broken';
  if (isRunning(raw)) return 'running';
  return isWhole(raw) ? 'stopped' : 'creating';
}

function imageOf({ config }: RawInstance): ImageRef | null {
  return JSON.parse(config[keys.image] ?? 'null') as ImageRef | null;
}

/** The engine itself runs commands in containers; a virtual machine needs an agent. */
async function agentOf(site: Site, raw: RawInstance, state: RawState | null): Promise<Instance['agent']> {
  if (!isRunning(raw)) return null;
  if (raw.type === 'virtual-machine' && (state === null || state.processes < 0)) return null;
  return { version: (await site.readServer()).environment.server_version };
}

async function present(
  site: Site,
  raw: Listed,
  snapshots: readonly Snapshot[],
  state: RawState | null,
): Promise<Instance> {
  const { config } = raw;
  return {
    account: idOf(raw.project),
    id: idOf(raw.name),
    state: stateOf(raw),
    problem: raw.status === 'Error' ? 'crashed' : null,
    size: sizeOf(raw),
    nics: nicsOf(raw),
    image: imageOf(raw),
    hostname: config[keys.hostname] ?? raw.name,
    seed: config[keys.seed] ?? '',
    host: await hostOf(site, raw),
    startedAt: isRunning(raw) ? new Date(raw.last_used_at) : null,
    agent: await agentOf(site, raw, state),
    rescue: NO_RESCUE,
    drive: driveOf(raw),
    snapshots,
  };
}

const NONE: Size = { vcpus: 0, memoryMb: 0, diskGb: 0 };

/**
 * The other members know only that the machine exists. Until the cluster declares its member offline, that member may
 * come back, so there is no `host_lost` yet.
 */
async function presentLost(
  site: Site,
  { project, name, location }: Lost,
  givenUp: ReadonlySet<string>,
): Promise<Instance> {
  const ref = { account: idOf(project), id: idOf(name) };
  return {
    ...ref,
    state: 'broken',
    problem: givenUp.has(location) ? 'host_lost' : null,
    size: (await site.ledger.find(ref))?.size ?? NONE,
    nics: [],
    image: null,
    hostname: '',
    seed: '',
    host: location,
    startedAt: null,
    agent: null,
    rescue: NO_RESCUE,
    drive: null,
    snapshots: [],
  };
}

/** When the machine's member does not answer, the other members may still list the machine. */
async function findLost(site: Site, ref: Ref, signal?: AbortSignal): Promise<Lost | null> {
  if (!(await site.readServer()).environment.server_clustered) return null;
  const query = { recursion: 1 };
  const listed = await site.client.ask<readonly (Listed | Lost)[]>('GET', '/1.0/instances', {
    project: projectOf(ref),
    query,
    signal,
  });
  return listed.filter(isLost).find(({ name }) => name === nameOf(ref.id)) ?? null;
}

const needsState = (raw: RawInstance): boolean => raw.type === 'virtual-machine' && isRunning(raw);

export async function observeInstance(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['observeInstance']>
): Promise<Instance | null> {
  let raw: RawInstance | null;
  let snapshots: readonly Snapshot[];
  try {
    [raw, snapshots] = await Promise.all([findRaw(site, ref, signal), readSnapshots(site, ref, signal)]);
  } catch (error) {
    const lost = isPassing(error) ? await findLost(site, ref, signal) : null;
    if (lost === null) throw error;
    const givenUp = await readGivenUp(site, signal);
    if (!givenUp.has(lost.location)) throw error;
    return presentLost(site, lost, givenUp);
  }
  if (raw === null) return null;
  const state = needsState(raw) ? await readState(site, ref, raw, signal) : null;
  return present(site, raw, snapshots, state);
}

function readState({ client }: Site, ref: Ref, { project }: RawInstance, signal?: AbortSignal) {
  return client.ask<RawState>('GET', `${pathOf(ref)}/state`, { project, signal });
}

export async function observeInstances(
  site: Site,
  ...[signal]: Parameters<ComputeEngine['observeInstances']>
): Promise<readonly Instance[]> {
  // Recursion 2 includes the state of each machine. It is slow, and only virtual machines need it.
  const recursion = site.settings.instanceType === 'virtual-machine' ? 2 : 1;
  const query = { recursion, 'all-projects': 'true' };
  const listed = await site.client.ask<readonly (Listed | Lost)[]>('GET', '/1.0/instances', {
    query,
    signal,
  });
  const ours = listed.filter((raw) => isOurs(raw.project) && !isGatewayName(raw.name));
  const lost = new Set(listed.filter(isLost).map(keyOf));
  const [snapshots, givenUp] = await Promise.all([
    readAllSnapshots(site, lost, signal),
    lost.size === 0 ? new Set<string>() : readGivenUp(site, signal),
  ]);
  return Promise.all(
    ours.map((raw) =>
      isLost(raw)
        ? presentLost(site, raw, givenUp)
        : present(site, raw, snapshots.get(keyOf(raw)) ?? [], raw.state ?? null),
    ),
  );
}
