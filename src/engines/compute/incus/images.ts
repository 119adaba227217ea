/**
 * Images that disks are created from. The images of all accounts are in the engine's default project, each known by
 * its aliases. The same bytes are stored once, with one alias for each owner. An image without an alias has no owner
 * and is removed.
 */
import type { Readable } from 'node:stream';
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import type { ForeignImage, Image, ImageSource } from '../image.ts';
import type { ImageRef, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { askOrNull, missing, requireRaw, type Site } from './driver-context.ts';
import { IncusError, isMissing, isTaken } from './failure.ts';
import { formatOf, receive, send } from './image-file.ts';
import { aliasOf, DEFAULT, nameOf, projectOf, uploadNameOf } from './names.ts';
import { outwaitImages } from './running-operations.ts';
import type { IncusSettings } from './settings.ts';
import {
  diskGbOf,
  isWhole,
  listSnapshots,
  type RawSnapshot,
  removeSnapshot,
  takeTemporary,
} from './snapshots.ts';

/** The reply of `GET /1.0/images/FINGERPRINT`. */
export interface RawImage {
  /** The SHA-256 of everything that was uploaded. */
  readonly fingerprint: string;
  readonly type: 'container' | 'virtual-machine';
  readonly filename: string;
  readonly size: number;
  readonly uploaded_at: string;
  readonly aliases: readonly { readonly name: string }[];
  readonly properties: Readonly<Record<string, string>>;
  readonly profiles: readonly string[];
}

/** Keys that the driver writes into the properties of an image. */
const properties = {
  account: 'hostplane.account',
  id: 'hostplane.id',
  minDiskGb: 'hostplane.min_disk_gb',
  /** The SHA-256 and the size of the disk, where more than the disk was uploaded. */
  disk: 'hostplane.disk',
} as const;

const GIB = 1024 ** 3;

export const formatsOf = (settings: IncusSettings): ComputeEngine['imageFormats'] => [formatOf(settings)];

const findByPrint = ({ client }: Site, print: string, signal?: AbortSignal) =>
  askOrNull(() => client.ask<RawImage>('GET', `/1.0/images/${print}`, { project: DEFAULT, signal }));

const pathOfAlias = (ref: ImageRef): string => `/1.0/images/aliases/${encodeURIComponent(aliasOf(ref))}`;

async function findRawImage(site: Site, ref: ImageRef, signal?: AbortSignal): Promise<RawImage | null> {
  const alias = await askOrNull(() =>
    site.client.ask<{ readonly target: string }>('GET', pathOfAlias(ref), { project: DEFAULT, signal }),
  );
  return alias === null ? null : findByPrint(site, alias.target, signal);
}

/** Returns the fingerprint of the smallest image of the provider. */
export async function findSmallestImage({ client, settings }: Site, signal?: AbortSignal): Promise<string> {
  const all = await client.ask<readonly RawImage[]>('GET', '/1.0/images', {
    project: DEFAULT,
    query: { recursion: 1 },
    signal,
  });
  const [smallest] = all
    .filter(({ type, aliases }) => type === settings.instanceType && aliases.some(isProviders))
    .sort((a, b) => a.size - b.size);
  if (smallest === undefined) throw missing('image', "of the provider's");
  return smallest.fingerprint;
}

const isProviders = ({ name }: { readonly name: string }): boolean => !name.includes('/');

/**
 * Without our property, the size of the packed image is the minimum, because the unpacked image is at least as large.
 */
const minDiskGbOf = ({ properties: { [properties.minDiskGb]: told }, size }: RawImage): number =>
  Math.max(1, Math.ceil(size / GIB), Number.parseInt(told ?? '1', 10) || 1);

export async function observeImage(site: Site, ref: ImageRef, signal?: AbortSignal): Promise<Image | null> {
  const raw = await findRawImage(site, ref, signal);
  if (raw === null) return null;
  const [sha256 = '', bytes = ''] = (raw.properties[properties.disk] ?? '').split(' ');
  return {
    account: ref.account,
    id: ref.id,
    state: 'available',
    sizeBytes: bytes === '' ? raw.size : Number(bytes),
    sha256: sha256 === '' ? raw.fingerprint : sha256,
    minDiskGb: minDiskGbOf(raw),
    createdAt: new Date(raw.uploaded_at),
  };
}

/** Returns the image's fingerprint, and checks that a disk of this size can hold the image. */
export async function requireImage(
  site: Site,
  ref: ImageRef,
  diskGb: number,
  signal?: AbortSignal,
): Promise<string> {
  const raw = await findRawImage(site, ref, signal);
  if (raw === null) throw missing('image', ref.id);
  const minDiskGb = minDiskGbOf(raw);
  if (diskGb < minDiskGb)
    throw new EngineRefused('engine_failed', `The image ${ref.id} needs a disk of ${minDiskGb} GB.`);
  return raw.fingerprint;
}

const removedMeanwhile = (cause: unknown): EngineUnreachable =>
  new EngineUnreachable('The image was removed in the meantime.', { cause });

/**
 * Creates the alias of `ref`. If that alias already exists, the new image is removed unless another alias refers to
 * it.
 */
async function nameImage(site: Site, ref: Ref, print: string, signal?: AbortSignal): Promise<void> {
  const body = { name: aliasOf(ref), target: print, description: '' };
  try {
    await site.client.run('POST', '/1.0/images/aliases', { project: DEFAULT, body, signal });
  } catch (error) {
    // The last other owner deleted the image in the meantime.
    if (isMissing(error)) throw removedMeanwhile(error);
    if (!isTaken(error)) throw error;
    await removeIfNobodys(site, print, signal);
  }
}

async function removeIfNobodys(site: Site, print: string, signal?: AbortSignal): Promise<void> {
  const raw = await findByPrint(site, print, signal);
  if (raw === null || raw.aliases.length > 0) return;
  const ask = { project: DEFAULT, signal };
  await askOrNull(() => site.client.run('DELETE', `/1.0/images/${print}`, ask));
}

/** Finds an image that was created for `ref` before a crash and has no alias yet. */
async function findUnnamed({ client }: Site, ref: Ref, signal?: AbortSignal): Promise<RawImage | null> {
  const file = uploadNameOf(ref);
  const filter = `properties.${properties.id} eq ${ref.id} or filename eq ${file}`;
  const query = { recursion: 1, filter };
  const found = await client.ask<readonly RawImage[]>('GET', '/1.0/images', {
    project: DEFAULT,
    query,
    signal,
  });
  const isIt = (raw: RawImage): boolean =>
    raw.filename === file ||
    (raw.properties[properties.id] === ref.id && raw.properties[properties.account] === ref.account);
  return found.find((raw) => isIt(raw) && raw.aliases.length === 0) ?? null;
}

/** The engine may still be storing an upload whose worker was killed. Uploads of all accounts are in one project. */
async function findAbandoned(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawImage | null> {
  await outwaitImages(site, DEFAULT, signal);
  return findUnnamed(site, ref, signal);
}

const ownerOf = ({ account, id }: Ref) => ({ [properties.account]: account, [properties.id]: id });

/** Returns the fingerprint of the created image. */
async function pack(
  { client }: Site,
  ref: Ref,
  vm: Ref,
  { name, devices }: Pick<RawSnapshot, 'name' | 'devices'>,
  signal?: AbortSignal,
): Promise<string> {
  const body = {
    compression_algorithm: 'gzip',
    source: { type: 'snapshot', name: `${nameOf(vm.id)}/${name}` },
    // The image inherits the properties of the image that the machine was created from, unless they are overridden
    // here.
    properties: {
      ...ownerOf(ref),
      [properties.minDiskGb]: String(diskGbOf(devices)),
      [properties.disk]: '',
    },
  };
  const done = await client.run('POST', '/1.0/images', { project: projectOf(ref), body, signal });
  return String(done?.metadata?.fingerprint);
}

/** The engine cannot pack a running machine, nor one that is started while it is packed, so a snapshot is packed. */
async function publish(
  site: Site,
  ref: Ref,
  { instance, snapshot }: Extract<ImageSource, { instance: string }>,
  signal?: AbortSignal,
): Promise<string> {
  const vm = { account: ref.account, id: instance };
  const { devices } = await requireRaw(site, vm, signal);
  const listed = await listSnapshots(site, vm, signal);
  if (snapshot !== undefined) {
    const source = listed.find((each) => each.name === snapshot && isWhole(each));
    if (source === undefined) throw missing('snapshot', snapshot);
    return pack(site, ref, vm, source, signal);
  }
  const name = `image-${ref.id}`;
  const left = listed.find((each) => each.name === name);
  const takeAndPack = async (): Promise<string> => {
    await takeTemporary(site, vm, name, signal);
    return pack(site, ref, vm, { name, devices }, signal);
  };
  // A snapshot that a crashed engine was packing may still be locked, and is released only after it was packed.
  const repack = (before: RawSnapshot): Promise<string> =>
    pack(site, ref, vm, before, signal).catch(async (error: unknown) => {
      if (!(error instanceof IncusError)) throw error;
      await removeSnapshot(site, vm, name, signal);
      return takeAndPack();
    });
  const print = await (left === undefined ? takeAndPack() : repack(left));
  await removeSnapshot(site, vm, name, signal);
  return print;
}

export async function ensureImage(
  site: Site,
  ref: Ref,
  source: ImageSource,
  signal?: AbortSignal,
): Promise<void> {
  if ((await findRawImage(site, ref, signal)) !== null) return;
  if (!('instance' in source)) {
    await nameImage(site, ref, await store(site, ref, source, signal), signal);
    return;
  }
  await outwaitImages(site, projectOf(ref), signal);
  const unnamed = await findUnnamed(site, ref, signal);
  const print = unnamed?.fingerprint ?? (await publish(site, ref, source, signal));
  await nameImage(site, ref, print, signal);
}

/** Uploads the image unless the engine already has the same bytes. Returns the fingerprint. */
async function store(site: Site, ref: Ref, source: ForeignImage, signal?: AbortSignal): Promise<string> {
  const { type, print, disk, minDiskGb, upload } = await receive(site.settings, source, signal);
  if ((await findByPrint(site, print, signal)) === null) await upload(site, uploadNameOf(ref), signal);
  const raw = await findByPrint(site, print, signal);
  if (raw?.type !== type) {
    await removeIfNobodys(site, print, signal);
    throw new EngineRefused('engine_failed', `The file is not an image of the format ${source.format}.`);
  }
  if (raw.aliases.length === 0)
    await describe(
      site,
      raw,
      {
        ...ownerOf(ref),
        [properties.disk]: disk ?? '',
        // An image that one of our engines packed already has this property; for other images, their size is used.
        ...(disk === null ? {} : { [properties.minDiskGb]: String(minDiskGb) }),
      },
      signal,
    );
  return print;
}

/**
 * A separate request after the upload: the engine crashes if properties are sent with an image that has none in its
 * metadata.
 */
async function describe(
  { client }: Site,
  { fingerprint, properties: told, profiles }: RawImage,
  about: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<void> {
  const body = { public: false, auto_update: false, properties: { ...told, ...about }, profiles };
  const ask = { project: DEFAULT, body, signal };
  // The engine takes back what a worker had begun to upload when it was killed.
  await client.run('PUT', `/1.0/images/${fingerprint}`, ask).catch((error: unknown) => {
    throw isMissing(error) ? removedMeanwhile(error) : error;
  });
}

export async function exportImage(site: Site, ref: ImageRef, signal?: AbortSignal): Promise<Readable> {
  const raw = await findRawImage(site, ref, signal);
  if (raw === null) throw missing('image', ref.id);
  return send(site, raw.fingerprint, signal);
}

export async function removeImage(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  await outwaitImages(site, projectOf(ref), signal);
  const raw = (await findRawImage(site, ref, signal)) ?? (await findAbandoned(site, ref, signal));
  if (raw === null) return;
  await askOrNull(() => site.client.run('DELETE', pathOfAlias(ref), { project: DEFAULT, signal }));
  await removeIfNobodys(site, raw.fingerprint, signal);
}
