/**
 * Translates the source of a new machine's disk (an image, a machine or a snapshot) into the `source` of an engine
 * request.
 */
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { ImageRef, Ref, Size, Source } from '../instance.ts';
import { capabilitiesOf } from './capabilities.ts';
import { keys } from './config-keys.ts';
import {
  type Changeable,
  missing,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './driver-context.ts';
import { isMissing } from './failure.ts';
import { requireImage } from './images.ts';
import { aliasOf, nameOf, projectOf } from './names.ts';
import { bytesOf } from './quantities.ts';
import { isWhole as isWholeSnapshot, type RawSnapshot } from './snapshots.ts';

export interface Origin {
  readonly source: Readonly<Record<string, unknown>>;
  readonly image: ImageRef | null;
  /** Of the machine that is copied: a cluster does not find out itself if the copy is on another member. */
  readonly architecture?: string;
  /** Settings and devices that a copy would inherit and that have to be removed. */
  readonly unwanted: Changeable;
}

const NOTHING: Changeable = { config: {}, devices: {} };
const GIB = 1024 ** 3;

function requireDisk(minDiskGb: number, { diskGb }: Size): void {
  if (diskGb >= minDiskGb) return;
  throw new EngineRefused(
    'engine_failed',
    `A disk of ${diskGb} GB is too small: ${minDiskGb} GB are needed.`,
  );
}

export async function originOf(
  site: Site,
  ref: Ref,
  source: Source,
  size: Size,
  signal?: AbortSignal,
): Promise<Origin> {
  if ('instance' in source) return copyOf(site, ref, source, size, signal);
  if ('blank' in source) return blankOf(site, signal);
  const { image } = source;
  // The provider's images fit every plan, and the engine reports a missing one itself, so there is nothing to check.
  const which =
    image.account === null
      ? { alias: aliasOf(image) }
      : { fingerprint: await requireImage(site, image, size.diskGb, signal) };
  return { source: { type: 'image', ...which }, image, unwanted: NOTHING };
}

/** Only virtual machines can start with an empty disk: they boot an installer from their drive. */
async function blankOf(site: Site, signal?: AbortSignal): Promise<Origin> {
  const reason = capabilitiesOf(site.settings, await site.readServer(signal)).isoDrive;
  if (reason !== true) throw new CapabilityMissing('isoDrive', reason);
  return { source: { type: 'none' }, image: null, unwanted: NOTHING };
}

type Original = Pick<RawInstance, 'architecture' | 'config' | 'devices'>;

async function copyOf(
  site: Site,
  { account }: Ref,
  { instance, snapshot }: Extract<Source, { instance: string }>,
  size: Size,
  signal?: AbortSignal,
): Promise<Origin> {
  const from = { account, id: instance };
  const original: Original =
    snapshot === undefined
      ? await requireRaw(site, from, signal)
      : await requireSnapshot(site, from, snapshot, signal);
  requireDisk(Math.ceil(bytesOf(original.devices['root']?.['size']) / GIB), size);
  const name = nameOf(instance);
  return {
    source: {
      type: 'copy',
      source: snapshot === undefined ? name : `${name}/${snapshot}`,
      project: projectOf(from),
      instance_only: true,
    },
    image: JSON.parse(original.config[keys.image] ?? 'null') as ImageRef | null,
    architecture: original.architecture,
    unwanted: unwantedOf(original),
  };
}

async function requireSnapshot(
  { client }: Site,
  ref: Ref,
  id: string,
  signal?: AbortSignal,
): Promise<Original> {
  const found = await client
    .ask<RawSnapshot>('GET', `${pathOf(ref)}/snapshots/${id}`, { project: projectOf(ref), signal })
    .catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  if (found === null || !isWholeSnapshot(found)) throw missing('snapshot', id);
  return found;
}

/**
 * A copy inherits every setting and device that the request does not override. This removes our own keys, the
 * cloud-init data and all interfaces.
 */
function unwantedOf({ config, devices }: Original): Changeable {
  const told = Object.keys(config).filter((name) => /^(user|cloud-init)\./.test(name));
  const others = Object.keys(devices).filter((name) => name !== 'root');
  return {
    config: Object.fromEntries(told.map((name) => [name, ''])),
    devices: Object.fromEntries(others.map((name) => [name, { type: 'none' }])),
  };
}
