/** What the calls about volumes share: how a volume of the engine is found, read and changed. */
import type { Ref } from '../instance.ts';
import { askOrNull, insist, missing, type Site } from './driver-context.ts';
import { isMissing } from './failure.ts';
import { idOf, nameOf, projectOf } from './names.ts';
import { bytesOf, GIB } from './quantities.ts';
import {
  askAt,
  currentOf,
  isMade,
  type Place,
  pathAt,
  type RawVolume,
  volumeIdOf,
  volumesPath,
} from './raw-volume.ts';

const DEVICE = 'vol_';

/** The engine derives the serial number of a device from its name, and shortens names of more than 25 characters. */
export const deviceOf = (id: string): string => `${DEVICE}${id.slice(-16)}`;
export const isVolumeDevice = (name: string): boolean => name.startsWith(DEVICE);

export const mountPointOf = (id: string): string => `/mnt/${id}`;

export const isClustered = async (site: Site, signal?: AbortSignal): Promise<boolean> =>
  (await site.readServer(signal)).environment.server_clustered;

/** Where a volume is on a server without a cluster. ISOs are on no other servers. */
export const onlyPlaceOf = ({ id }: Pick<Ref, 'id'>): Place => ({ name: nameOf(id) });

export function findOnly(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  const place = onlyPlaceOf(ref);
  return askOrNull(() => site.client.ask<RawVolume>('GET', pathAt(site, place), askAt(ref, place, signal)));
}

/** The volume on all members of the cluster, with copies that are unfinished or no longer needed. */
export async function findCopies(site: Site, ref: Ref, signal?: AbortSignal): Promise<readonly RawVolume[]> {
  const query = { recursion: 1, filter: `name eq ${nameOf(ref.id)}.*` };
  const ask = { project: projectOf(ref), query, signal };
  const found = await askOrNull(() => site.client.ask<readonly RawVolume[]>('GET', volumesPath(site), ask));
  return (found ?? []).filter(({ name }) => !name.includes('/') && volumeIdOf(name) === ref.id);
}

/** Finds the volume, also if its creation was interrupted. */
export async function findRawVolume(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  if (!(await isClustered(site, signal))) return findOnly(site, ref, signal);
  const copies = await findCopies(site, ref, signal);
  return currentOf(copies) ?? copies[0] ?? null;
}

/** The machine that has the volume. */
export function holderOf({ used_by }: RawVolume): string | null {
  for (const path of used_by ?? []) {
    const name = /^\/1\.0\/instances\/([^/?]+)/.exec(path)?.[1];
    if (name !== undefined) return idOf(name);
  }
  return null;
}

export const sizeGbOf = ({ config }: Pick<RawVolume, 'config'>): number =>
  Math.floor(bytesOf(config['size']) / GIB);

type Change = (raw: RawVolume) => Partial<Pick<RawVolume, 'config' | 'description'>> | null;

/** Writes the configuration that `change` returns; null means no change. Starts over after a concurrent change. */
export async function changeVolumeAt(
  site: Site,
  ref: Ref,
  place: Place,
  change: Change,
  signal?: AbortSignal,
): Promise<void> {
  const path = pathAt(site, place);
  const ask = askAt(ref, place, signal);
  await insist(async () => {
    const { value: raw, mark } = await site.client
      .askWithMark<RawVolume>(path, ask)
      .catch((error: unknown) => {
        throw isMissing(error) ? missing('volume', ref.id) : error;
      });
    const changed = change(raw);
    if (changed === null) return;
    const body = { config: raw.config, description: raw.description, ...changed };
    await site.client.run('PUT', path, { ...ask, body, headers: { 'if-match': mark } });
  }, signal);
}

/** As `changeVolumeAt`, for a volume that is made. */
export const changeVolume = (
  site: Site,
  ref: Ref,
  place: Place,
  change: Change,
  signal?: AbortSignal,
): Promise<void> =>
  changeVolumeAt(
    site,
    ref,
    place,
    (raw) => {
      if (!isMade(raw)) throw missing('volume', ref.id);
      return change(raw);
    },
    signal,
  );

export async function destroyVolume(site: Site, ref: Ref, place: Place, signal?: AbortSignal): Promise<void> {
  const ask = askAt(ref, place, signal);
  await insist(() => site.client.run('DELETE', pathAt(site, place), ask), signal).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}
