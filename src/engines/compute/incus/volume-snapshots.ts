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
import { isRunning } from './observation.ts';
import { bytesOf, GIB } from './quantities.ts';
import { askAt, type Place, pathAt, type RawVolume } from './raw-volume.ts';
import { outwaitVolumes } from './running-operations.ts';
import { NEVER, UNFINISHED_MS } from './snapshots.ts';
import { changeVolume, holderOf, sizeGbOf } from './volume-context.ts';
import { requireSettled, settledPlace } from './volume-moves.ts';

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
  /** The size of the volume. The engine forgets it when the volume moves to another server. */
  readonly gb?: number;
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

export const snapshotPath = (site: Site, place: Place, id = ''): string =>
  `${pathAt(site, place)}/snapshots${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

async function list(
  site: Site,
  ref: Ref,
  place: Place,
  signal?: AbortSignal,
): Promise<readonly RawVolumeSnapshot[]> {
  const path = snapshotPath(site, place);
  const ask = { ...askAt(ref, place, signal), query: { recursion: 1 } };
  return (await askOrNull(() => site.client.ask<readonly RawVolumeSnapshot[]>('GET', path, ask))) ?? [];
}

/** Oldest first. */
const finished = (all: readonly RawVolumeSnapshot[]): RawVolumeSnapshot[] =>
  all
    .filter(isWhole)
    .sort((a, b) => (noteIn(a).at < noteIn(b).at ? -1 : noteIn(a).at > noteIn(b).at ? 1 : 0));

function present(raw: RawVolumeSnapshot): Snapshot {
  const { at, bytes, consistency, gb = sizeGbOf(raw) } = noteIn(raw);
  return { id: nameIn(raw), createdAt: new Date(at), sizeBytes: bytes, diskGb: gb, consistency };
}

export async function readVolumeSnapshots(
  site: Site,
  ref: Ref,
  place: Place,
  signal?: AbortSignal,
): Promise<readonly Snapshot[]> {
  return finished(await list(site, ref, place, signal)).map(present);
}

/** For a volume on a cluster member that does not answer: the finished snapshots that the other members know. */
export const presentListed = (all: readonly RawVolume[]): readonly Snapshot[] =>
  finished(
    all.filter(({ description }) => description.startsWith('{')).map((raw) => ({ ...raw, expires_at: null })),
  ).map(present);

export async function requireVolumeSnapshot(
  site: Site,
  ref: Ref,
  place: Place,
  id: string,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const found = (await list(site, ref, place, signal)).find((raw) => nameIn(raw) === id);
  if (found === undefined || !isWhole(found)) throw missing('snapshot', id);
  return present(found);
}

async function isInUse(site: Site, ref: Ref, volume: RawVolume, signal?: AbortSignal): Promise<boolean> {
  const holder = holderOf(volume);
  const raw = holder === null ? null : await findRaw(site, { account: ref.account, id: holder }, signal);
  return raw !== null && isRunning(raw);
}

/**
 * The space that the volume takes. A snapshot takes at most as much; without a measurement, as much as the volume.
 * Members of a cluster of Incus 6.0 measure only the volumes that they store themselves.
 */
async function usedBytes(site: Site, ref: Ref, volume: RawVolume, signal?: AbortSignal): Promise<number> {
  const state = await askOrNull(() =>
    site.client.ask<{ readonly usage: { readonly used: number } | null }>(
      'GET',
      `${pathAt(site, volume)}/state`,
      askAt(ref, volume, signal),
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
  const volume = await requireSettled(site, ref, signal);
  const find = async () => (await list(site, ref, volume, signal)).find((raw) => nameIn(raw) === id);
  let found = await find();
  if (found !== undefined && !isWhole(found) && (await outwaitVolumes(site, ref, signal)))
    found = await find();
  if (found !== undefined && isWhole(found)) return;
  if (found !== undefined) await remove(site, ref, volume, id, signal);
  const at = new Date();
  const note: Note = {
    at: at.toISOString(),
    bytes: await usedBytes(site, ref, volume, signal),
    consistency: (await isInUse(site, ref, volume, signal)) ? 'crash' : 'filesystem',
    gb: sizeGbOf(volume),
  };
  const taken = { name: id, expires_at: new Date(at.getTime() + UNFINISHED_MS).toISOString() };
  const ask = askAt(ref, volume, signal);
  const path = snapshotPath(site, volume);
  await insist(() => site.client.run('POST', path, { ...ask, body: taken }), signal);
  const whole = { description: JSON.stringify(note), expires_at: NEVER };
  await insist(() => site.client.run('PUT', snapshotPath(site, volume, id), { ...ask, body: whole }), signal);
}

async function remove(site: Site, ref: Ref, place: Place, id: string, signal?: AbortSignal): Promise<void> {
  const ask = askAt(ref, place, signal);
  await insist(() => site.client.run('DELETE', snapshotPath(site, place, id), ask), signal).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
}

export async function removeVolumeSnapshot(
  site: Site,
  ...[ref, id, signal]: Parameters<ComputeEngine['removeVolumeSnapshot']>
): Promise<void> {
  const place = await settledPlace(site, ref, signal);
  if (place !== null) await remove(site, ref, place, id, signal);
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
  const volume = await requireSettled(site, ref, signal);
  if (wasDone(volume.config, once)) return;
  if (await isInUse(site, ref, volume, signal))
    throw new EngineRefused('invalid_state', 'The machine of the volume is running. Stop it first.');
  const all = await list(site, ref, volume, signal);
  for (const raw of all.filter((each) => !isWhole(each)))
    await remove(site, ref, volume, nameIn(raw), signal);
  const kept = finished(all);
  if (!kept.some((raw) => nameIn(raw) === snapshot)) throw missing('snapshot', snapshot);
  if (nameIn(kept.at(-1)!) !== snapshot)
    throw new EngineRefused('invalid_state', 'Newer snapshots exist. Remove them first.');
  const ask = { ...askAt(ref, volume, signal), body: { restore: snapshot } };
  await insist(() => site.client.run('PUT', pathAt(site, volume), ask), signal);
  const done = ({ config }: RawVolume) => ({
    config: noteDone({ ...config, size: respelled(config) }, once),
  });
  await changeVolume(site, ref, volume, done, signal);
}
