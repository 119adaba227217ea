/**
 * Snapshots, named by our ids. An unfinished snapshot has an expiry date, after which the engine deletes it by
 * itself. A snapshot with an expiry date is therefore never reported, even if the engine died while taking it.
 */
import { CapabilityMissing } from '../../errors.ts';
import type { Ref, Snapshot } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { insist, pathOf, type RawInstance, requireRaw, type Site } from './driver-context.ts';
import { isMissing } from './failure.ts';
import { projectOf } from './names.ts';
import { bytesOf } from './quantities.ts';
import { outwaitMachine } from './running-operations.ts';

/** The reply of `GET /1.0/instances/NAME/snapshots`. */
export interface RawSnapshot {
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** Negative if the pool cannot measure it. */
  readonly size: number;
  readonly architecture: string;
  readonly config: RawInstance['config'];
  readonly devices: RawInstance['devices'];
}

const GIB = 1024 ** 3;
/** Longer than any snapshot takes. */
export const UNFINISHED_MS = 24 * 3600 * 1000;
export const NEVER = '0001-01-01T00:00:00Z';

export const isWhole = ({ expires_at }: Pick<RawSnapshot, 'expires_at'>): boolean => expires_at === NEVER;

/** Timestamps of the engine have fractions of varying length, which cannot be compared as text; this pads them. */
function momentOf(timestamp: string): string {
  const [seconds = '', fraction = ''] = timestamp.replace('Z', '').split('.');
  return `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** Oldest first. Snapshots of the same moment keep the order of the engine's list, which is the order of creation. */
function inOrder(snapshots: readonly RawSnapshot[]): readonly RawSnapshot[] {
  const keyed = snapshots.map((snapshot) => ({ snapshot, moment: momentOf(snapshot.created_at) }));
  keyed.sort((one, other) => (one.moment < other.moment ? -1 : one.moment > other.moment ? 1 : 0));
  return keyed.map(({ snapshot }) => snapshot);
}

export const diskGbOf = (devices: RawInstance['devices']): number =>
  Math.floor(bytesOf(devices['root']?.['size']) / GIB);

function present(raw: RawSnapshot): Snapshot {
  const { name: id, created_at, size, config, devices } = raw;
  const diskGb = diskGbOf(devices);
  return {
    id,
    createdAt: new Date(created_at),
    // Without a measured size: a snapshot is at most as large as the disk.
    sizeBytes: size >= 0 ? size : diskGb * GIB,
    diskGb,
    // A snapshot has the configuration of its moment, which records whether the machine was running.
    consistency: config['volatile.last_state.power'] === 'RUNNING' ? 'crash' : 'filesystem',
  };
}

async function list({ client }: Site, path: string, project: string, signal?: AbortSignal) {
  const snapshots = await client
    .ask<readonly RawSnapshot[]>('GET', `${path}/snapshots`, { project, query: { recursion: 1 }, signal })
    .catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  return inOrder(snapshots);
}

/** Snapshots of one machine, oldest first. */
export async function readSnapshots(
  site: Site,
  ref: Ref,
  signal?: AbortSignal,
): Promise<readonly Snapshot[]> {
  return (await list(site, pathOf(ref), projectOf(ref), signal)).filter(isWhole).map(present);
}

/** The instances that have snapshots: `project/name` mapped to the project. */
async function findOwners(site: Site, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { client, settings } = site;
  const { api_extensions } = await site.readServer(signal);
  const path = `/1.0/storage-pools/${settings.storagePool}/volumes`;
  const volumes: string[] = [];
  if (api_extensions.includes('storage_volumes_all_projects')) {
    const query = { 'all-projects': 'true' };
    volumes.push(...(await client.ask<readonly string[]>('GET', path, { query, signal })));
  } else {
    for (const { name: project } of await client.ask<readonly { name: string }[]>('GET', '/1.0/projects', {
      query: { recursion: 1 },
      signal,
    }))
      volumes.push(...(await client.ask<readonly string[]>('GET', path, { project, signal })));
  }
  const owners = new Map<string, string>();
  for (const volume of volumes) {
    const url = new URL(volume, 'http://engine');
    const name = /\/volumes\/(?:container|virtual-machine)\/([^/]+)\/snapshots\//.exec(url.pathname)?.[1];
    const project = url.searchParams.get('project') ?? 'default';
    if (name !== undefined) owners.set(`${project}/${name}`, project);
  }
  return owners;
}

/**
 * Snapshots of all machines that have any, by `project/name`. Machines in `lost` are left out, because their cluster
 * member does not answer. Sends one request for all machines and one for each machine with snapshots.
 */
export async function readAllSnapshots(
  site: Site,
  lost: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly Snapshot[]>> {
  const found = new Map<string, readonly Snapshot[]>();
  for (const [owner, project] of await findOwners(site, signal)) {
    if (lost.has(owner)) continue;
    const path = `/1.0/instances/${owner.slice(project.length + 1)}`;
    found.set(owner, (await list(site, path, project, signal)).filter(isWhole).map(present));
  }
  return found;
}

/** Includes unfinished snapshots. */
export const listSnapshots = (site: Site, ref: Ref, signal?: AbortSignal): Promise<readonly RawSnapshot[]> =>
  list(site, pathOf(ref), projectOf(ref), signal);

const pathOfSnapshot = (ref: Ref, name: string): string =>
  `${pathOf(ref)}/snapshots/${encodeURIComponent(name)}`;

/** Takes a snapshot with an expiry date, so that the engine deletes it if we do not. */
export async function takeTemporary(site: Site, ref: Ref, name: string, signal?: AbortSignal): Promise<void> {
  const body = { name, stateful: false, expires_at: new Date(Date.now() + UNFINISHED_MS).toISOString() };
  const ask = { project: projectOf(ref), body, signal };
  await insist(() => site.client.run('POST', `${pathOf(ref)}/snapshots`, ask), signal);
}

export async function ensureSnapshot(
  site: Site,
  ref: Ref,
  { id, quiesce }: Parameters<ComputeEngine['ensureSnapshot']>[1],
  signal?: AbortSignal,
): Promise<void> {
  const reason = site.capabilities.quiesce;
  if (quiesce && reason !== true) throw new CapabilityMissing('quiesce', reason);
  await requireRaw(site, ref, signal);
  const find = async () => (await listSnapshots(site, ref, signal)).find(({ name }) => name === id);
  let found = await find();
  if (found !== undefined && !isWhole(found)) {
    await outwaitMachine(site, ref, signal);
    found = await find();
  }
  if (found !== undefined && isWhole(found)) return;
  if (found !== undefined) await removeSnapshot(site, ref, id, signal);
  await takeTemporary(site, ref, id, signal);
  const ask = { project: projectOf(ref), body: { expires_at: NEVER }, signal };
  await insist(() => site.client.run('PUT', pathOfSnapshot(ref, id), ask), signal);
}

export async function removeSnapshot(
  site: Site,
  ref: Ref,
  snapshotId: string,
  signal?: AbortSignal,
): Promise<void> {
  const ask = { project: projectOf(ref), signal };
  await insist(() => site.client.run('DELETE', pathOfSnapshot(ref, snapshotId), ask), signal).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
}

/** Returns the finished snapshots. Deletes the unfinished ones, because they would block a restore or rebuild. */
export async function clearSnapshots(
  site: Site,
  ref: Ref,
  signal?: AbortSignal,
): Promise<readonly RawSnapshot[]> {
  const all = await listSnapshots(site, ref, signal);
  for (const { name } of all.filter((each) => !isWhole(each))) await removeSnapshot(site, ref, name, signal);
  return all.filter(isWhole);
}
