/**
 * Snapshots of volumes, named by our ids. As for machines, an unfinished snapshot has an expiry date and is never
 * reported. The engine does not measure these snapshots, and old versions do not record when they were taken: the
 * driver writes both into their description.
 */
import { EngineRefused } from '../../errors.ts';
import type { Ref, Snapshot } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { noteDone, wasDone } from './config-keys.ts';
import { askOrNull, findRaw, insist, missing, type Site } from './driver-context.ts';
import { isMissing } from './failure.ts';
import { projectOf } from './names.ts';
import { isRunning } from './observation.ts';
import { bytesOf, GIB } from './quantities.ts';
import { outwaitVolumes } from './running-operations.ts';
import { NEVER, UNFINISHED_MS } from './snapshots.ts';
import {
  changeVolume,
  holderOf,
  type RawVolume,
  requireRawVolume,
  sizeGbOf,
  volumePath,
} from './volume-context.ts';

/** The reply of `GET …/volumes/custom/NAME/snapshots`. */
interface RawVolumeSnapshot {
  /** LXD writes the name of the volume and a slash before it. */
  readonly name: string;
  readonly description: string;
  readonly expires_at: string | null;
  readonly config: RawVolume['config'];
}

/** What the description of a snapshot holds. */
interface Note {
  readonly at: string;
  readonly bytes: number;
  readonly consistency: Snapshot['consistency'];
}

const isWhole = ({ expires_at }: RawVolumeSnapshot): boolean => expires_at === null || expires_at === NEVER;

const nameIn = ({ name }: RawVolumeSnapshot): string => name.slice(name.lastIndexOf('/') + 1);

/** For snapshots that an administrator took at the engine. They count as the oldest, so that they hinder no restore. */
const FOREIGN: Note = { at: new Date(0).toISOString(), bytes: 0, consistency: 'crash' };

function noteIn({ description }: RawVolumeSnapshot): Note {
  try {
    return { ...FOREIGN, ...(JSON.parse(description) as Partial<Note>) };
  } catch {
    return FOREIGN;
  }
}

const pathOf = (site: Site, ref: Ref, id = ''): string =>
  `${volumePath(site, ref)}/snapshots${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

async function list(site: Site, ref: Ref, signal?: AbortSignal): Promise<readonly RawVolumeSnapshot[]> {
  const ask = { project: projectOf(ref), query: { recursion: 1 }, signal };
  return (
    (await askOrNull(() => site.client.ask<readonly RawVolumeSnapshot[]>('GET', pathOf(site, ref), ask))) ??
    []
  );
}

/** Oldest first. */
const finished = (all: readonly RawVolumeSnapshot[]): RawVolumeSnapshot[] =>
  all
    .filter(isWhole)
    .sort((a, b) => (noteIn(a).at < noteIn(b).at ? -1 : noteIn(a).at > noteIn(b).at ? 1 : 0));

export async function readVolumeSnapshots(
  site: Site,
  ref: Ref,
  signal?: AbortSignal,
): Promise<readonly Snapshot[]> {
  return finished(await list(site, ref, signal)).map((raw) => {
    const { at, bytes, consistency } = noteIn(raw);
    return {
      id: nameIn(raw),
      createdAt: new Date(at),
      sizeBytes: bytes,
      diskGb: sizeGbOf(raw),
      consistency,
    };
  });
}

export async function requireVolumeSnapshot(
  site: Site,
  ref: Ref,
  id: string,
  signal?: AbortSignal,
): Promise<RawVolumeSnapshot> {
  const found = (await list(site, ref, signal)).find((raw) => nameIn(raw) === id);
  if (found === undefined || !isWhole(found)) throw missing('snapshot', id);
  return found;
}

async function isInUse(site: Site, ref: Ref, volume: RawVolume, signal?: AbortSignal): Promise<boolean> {
  const holder = holderOf(volume);
  const raw = holder === null ? null : await findRaw(site, { account: ref.account, id: holder }, signal);
  return raw !== null && isRunning(raw);
}

/** The space that the volume takes. A snapshot takes at most as much; without a measurement, as much as the volume. */
async function usedBytes(site: Site, ref: Ref, volume: RawVolume, signal?: AbortSignal): Promise<number> {
  const ask = { project: projectOf(ref), signal };
  const state = await askOrNull(() =>
    site.client.ask<{ readonly usage: { readonly used: number } | null }>(
      'GET',
      `${volumePath(site, ref)}/state`,
      ask,
    ),
  );
  const most = sizeGbOf(volume) * GIB;
  const used = state?.usage?.used ?? -1;
  return used < 0 ? most : Math.min(used, most);
}

export async function ensureVolumeSnapshot(
  site: Site,
  ...[ref, id, signal]: Parameters<ComputeEngine['ensureVolumeSnapshot']>
): Promise<void> {
  const volume = await requireRawVolume(site, ref, signal);
  const find = async () => (await list(site, ref, signal)).find((raw) => nameIn(raw) === id);
  let found = await find();
  if (found !== undefined && !isWhole(found) && (await outwaitVolumes(site, ref, signal)))
    found = await find();
  if (found !== undefined && isWhole(found)) return;
  if (found !== undefined) await removeVolumeSnapshot(site, ref, id, signal);
  const project = projectOf(ref);
  const at = new Date();
  const note: Note = {
    at: at.toISOString(),
    bytes: await usedBytes(site, ref, volume, signal),
    consistency: (await isInUse(site, ref, volume, signal)) ? 'crash' : 'filesystem',
  };
  const taken = { name: id, expires_at: new Date(at.getTime() + UNFINISHED_MS).toISOString() };
  await insist(() => site.client.run('POST', pathOf(site, ref), { project, body: taken, signal }), signal);
  const whole = { description: JSON.stringify(note), expires_at: NEVER };
  await insist(() => site.client.run('PUT', pathOf(site, ref, id), { project, body: whole, signal }), signal);
}

export async function removeVolumeSnapshot(
  site: Site,
  ...[ref, id, signal]: Parameters<ComputeEngine['removeVolumeSnapshot']>
): Promise<void> {
  const ask = { project: projectOf(ref), signal };
  await insist(() => site.client.run('DELETE', pathOf(site, ref, id), ask), signal).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
}

/**
 * With the content, some storage takes over the limit that the volume had when the snapshot was taken. The engine sets
 * the limit again only if the text of the size changes, so the same size gets another text.
 */
function respelled({ size = '' }: RawVolume['config']): string {
  const bytes = String(bytesOf(size));
  return size === bytes ? `${bytes}B` : bytes;
}

export async function ensureVolumeRestored(
  site: Site,
  ...[ref, { once, snapshot }, signal]: Parameters<ComputeEngine['ensureVolumeRestored']>
): Promise<void> {
  await outwaitVolumes(site, ref, signal);
  const volume = await requireRawVolume(site, ref, signal);
  if (wasDone(volume.config, once)) return;
  if (await isInUse(site, ref, volume, signal))
    throw new EngineRefused('invalid_state', 'The machine of the volume is running. Stop it first.');
  const all = await list(site, ref, signal);
  for (const raw of all.filter((each) => !isWhole(each)))
    await removeVolumeSnapshot(site, ref, nameIn(raw), signal);
  const kept = finished(all);
  if (!kept.some((raw) => nameIn(raw) === snapshot)) throw missing('snapshot', snapshot);
  if (nameIn(kept.at(-1)!) !== snapshot)
    throw new EngineRefused('invalid_state', 'Newer snapshots exist. Remove them first.');
  const ask = { project: projectOf(ref), body: { restore: snapshot }, signal };
  await insist(() => site.client.run('PUT', volumePath(site, ref), ask), signal);
  const done = ({ config }: RawVolume) => ({
    config: noteDone({ ...config, size: respelled(config) }, once),
  });
  await changeVolume(site, ref, done, signal);
}
