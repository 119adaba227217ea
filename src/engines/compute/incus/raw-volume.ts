/**
 * Volumes as the engine stores them. On a cluster with local storage a volume is on one member, and moving it to
 * another makes a copy with a name of its own. These functions say which of the copies is the volume.
 */
import { randomBytes } from 'node:crypto';
import type { Ref } from '../instance.ts';
import { keys } from './config-keys.ts';
import type { Site } from './driver-context.ts';
import { idOf, nameOf, projectOf } from './names.ts';

/** The reply of `GET /1.0/storage-pools/POOL/volumes/custom/NAME`. */
export interface RawVolume {
  readonly name: string;
  readonly project?: string;
  /** The cluster member that stores it; `none` or empty outside clusters and on storage that all members share. */
  readonly location?: string;
  readonly content_type: 'block' | 'filesystem' | 'iso';
  readonly config: Readonly<Record<string, string>>;
  readonly description: string;
  /** The paths of the instances that have it. */
  readonly used_by: readonly string[] | null;
}

/** What a request about a volume needs to know of it. */
export type Place = Pick<RawVolume, 'name' | 'location'>;

export const volumesPath = ({ settings }: Pick<Site, 'settings'>): string =>
  `/1.0/storage-pools/${settings.storagePool}/volumes/custom`;
export const pathAt = (site: Pick<Site, 'settings'>, { name }: Place): string =>
  `${volumesPath(site)}/${name}`;

/** The cluster member that stores the volume; undefined if every server can use it. */
export const memberOf = ({ location = '' }: Place): string | undefined =>
  location === '' || location === 'none' ? undefined : location;

/** The project and the cluster member of a request about the volume. */
export function askAt({ account }: Pick<Ref, 'account'>, place: Place, signal?: AbortSignal) {
  const target = memberOf(place);
  return { project: projectOf({ account }), ...(target === undefined ? {} : { target }), signal };
}

/** Each copy has a name that no other copy ever has, so that a late request to delete it cannot hit another one. */
export const copyNameOf = (id: string): string => `${nameOf(id)}.${randomBytes(6).toString('hex')}`;
export const volumeIdOf = (name: string): string => idOf(name.split('.', 1)[0] ?? '');

/** An interrupted creation leaves a volume without the mark. Such a volume is removed by the next attempt. */
export const MADE = { [keys.volume]: 'made' };
export const isMade = ({ config }: RawVolume): boolean => config[keys.volume] === 'made';

/**
 * The copy that is the volume: one that is made, or its successor, as soon as it names one. Null if none is made.
 */
export function currentOf(copies: readonly RawVolume[]): RawVolume | null {
  const successorOf = ({ config }: RawVolume): RawVolume | undefined =>
    copies.find(({ name }) => name === config[keys.successor]);
  let current = copies.find(isMade);
  if (current === undefined) return null;
  for (let next = successorOf(current); next !== undefined; next = successorOf(current)) current = next;
  return isMade(current) ? current : { ...current, config: { ...current.config, ...MADE } };
}
