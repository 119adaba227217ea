/** What the calls about volumes share: the raw volume of the engine, how it is found and how it is changed. */
import type { Ref } from '../instance.ts';
import { keys } from './config-keys.ts';
import { askOrNull, insist, missing, type Site } from './driver-context.ts';
import { isMissing } from './failure.ts';
import { idOf, nameOf, projectOf } from './names.ts';
import { bytesOf, GIB } from './quantities.ts';

/** The reply of `GET /1.0/storage-pools/POOL/volumes/custom/NAME`. */
export interface RawVolume {
  readonly name: string;
  readonly project?: string;
  readonly content_type: 'block' | 'filesystem' | 'iso';
  readonly config: Readonly<Record<string, string>>;
  readonly description: string;
  /** The paths of the instances that have it. */
  readonly used_by: readonly string[] | null;
}

export const volumesPath = ({ settings }: Pick<Site, 'settings'>): string =>
  `/1.0/storage-pools/${settings.storagePool}/volumes/custom`;
export const volumePath = (site: Pick<Site, 'settings'>, { id }: Ref): string =>
  `${volumesPath(site)}/${nameOf(id)}`;

/** An interrupted creation leaves a volume without the mark. Such a volume is removed by the next attempt. */
export const MADE = { [keys.volume]: 'made' };
export const isMade = ({ config }: RawVolume): boolean => config[keys.volume] === 'made';

/** The engine derives the serial number of a device from its name, and shortens names of more than 25 characters. */
export const deviceOf = (id: string): string => `vol_${id.slice(-16)}`;

export const mountPointOf = (id: string): string => `/mnt/${id}`;

export function findRawVolume(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  const ask = { project: projectOf(ref), signal };
  return askOrNull(() => site.client.ask<RawVolume>('GET', volumePath(site, ref), ask));
}

export async function requireRawVolume(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume> {
  const raw = await findRawVolume(site, ref, signal);
  if (raw === null || !isMade(raw)) throw missing('volume', ref.id);
  return raw;
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

/** Writes the configuration that `change` returns; null means no change. Starts over after a concurrent change. */
export async function changeVolume(
  site: Site,
  ref: Ref,
  change: (raw: RawVolume) => object | null,
  signal?: AbortSignal,
): Promise<void> {
  const project = projectOf(ref);
  const path = volumePath(site, ref);
  await insist(async () => {
    const { value: raw, mark } = await site.client
      .askWithMark<RawVolume>(path, { project, signal })
      .catch((error: unknown) => {
        throw isMissing(error) ? missing('volume', ref.id) : error;
      });
    if (!isMade(raw)) throw missing('volume', ref.id);
    const changed = change(raw);
    if (changed === null) return;
    const body = { config: raw.config, description: raw.description, ...changed };
    await site.client.run('PUT', path, { project, body, headers: { 'if-match': mark }, signal });
  }, signal);
}
