/** The images that disks are created from: images of the provider, captures of machines and imported files. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { EngineRefused } from '../../errors.ts';
import type { Image, ImageSource } from '../image.ts';
import type { ImageRef, Ref } from '../instance.ts';
import { type ComputeCore, missing, nameOf } from './core.ts';
import type { Task } from './durations.ts';
import { imageBytes, type Made, readImage } from './image-file.ts';
import type { Disk, StoredImage, System } from './state.ts';
import type { ComputeStateStore } from './store.ts';

export interface Origin {
  readonly disk: Disk;
  readonly seeded: string | null;
  readonly system: System;
  readonly image: ImageRef | null;
  readonly minDiskGb: number;
  readonly task: Task;
}

function publicImage({ fixtures }: ComputeCore, slug: string): StoredImage | null {
  const image = fixtures.images().find((entry) => entry.slug === slug);
  if (image === undefined) return null;
  const { os, architecture, min_disk_gb, default_user, cloud_init, guest_agent } = image;
  const digest = createHash('sha256').update(slug).digest();
  return {
    at: 0,
    disk: { '/etc/os-release': `ID=${os.distribution}\nVERSION_ID="${os.version}"\n` },
    system: {
      distribution: os.distribution,
      version: os.version,
      defaultUser: default_user,
      hasCloudInit: cloud_init,
      hasAgent: guest_agent,
    },
    architecture,
    minDiskGb: min_disk_gb,
    sizeBytes: 300_000_000 + digest.readUInt32BE(0) / 8,
    sha256: digest.toString('hex'),
  };
}

async function findImage(
  core: ComputeCore,
  store: ComputeStateStore,
  { account, id }: ImageRef,
): Promise<StoredImage | null> {
  return account === null ? publicImage(core, id) : store.find('image', { project: account, id });
}

export async function originOfImage(
  core: ComputeCore,
  store: ComputeStateStore,
  ref: ImageRef,
): Promise<Origin> {
  const image = await findImage(core, store, ref);
  if (image === null) throw missing('image', ref.id);
  if (image.at > (await store.now()))
    throw new EngineRefused('invalid_state', `The image ${ref.id} is still being created.`);
  const { disk, system, minDiskGb, seeded = null } = image;
  return { disk, system, minDiskGb, image: ref, seeded, task: 'create' };
}

function summed(disk: Disk, rest: Omit<Made, 'disk' | 'sizeBytes' | 'sha256'>): Made {
  const text = JSON.stringify(disk);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { ...rest, disk, sizeBytes: Buffer.byteLength(text), sha256 };
}

async function capture(
  store: ComputeStateStore,
  project: string,
  { instance, snapshot: snapshotId }: Extract<ImageSource, { instance: string }>,
): Promise<Made> {
  const machine = await store.find('machine', { project, id: instance });
  if (machine === null) throw missing('machine', instance);
  const { architecture, system, disk, size, seeded } = machine;
  if (snapshotId === undefined) return summed(disk, { architecture, system, seeded, minDiskGb: size.diskGb });
  const snapshot = machine.snapshots.find(({ id }) => id === snapshotId);
  if (snapshot === undefined) throw missing('snapshot', snapshotId);
  return summed(snapshot.disk, {
    architecture,
    system: snapshot.system,
    seeded: snapshot.seeded,
    minDiskGb: snapshot.diskGb,
  });
}

export async function ensureImage(
  core: ComputeCore,
  ref: Ref,
  source: ImageSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const isThere = (await core.store.find('image', name)) !== null;
  const imported = isThere || 'instance' in source ? null : await readImage(source, signal);
  const pending = await core.store.transact(async (store) => {
    const present = await store.lock('image', name);
    const now = await store.now();
    if (present !== null) return present.at - now;
    const made = imported ?? ('instance' in source ? await capture(store, name.project, source) : null);
    // The image was removed after the first read, so its file was not read. A repeated call reads the file.
    if (made === null) throw missing('image', ref.id);
    await store.insert('image', name, { ...made, at: now + core.takes('image') });
    return core.takes('image');
  });
  await core.pause(pending, signal);
}

export async function observeImage(core: ComputeCore, ref: ImageRef): Promise<Image | null> {
  const image = await findImage(core, core.store, ref);
  if (image === null) return null;
  const { at, sizeBytes, sha256, minDiskGb } = image;
  const state = at <= (await core.store.now()) ? 'available' : 'creating';
  const { account, id } = ref;
  return { account, id, state, sizeBytes: Math.round(sizeBytes), sha256, minDiskGb, createdAt: new Date(at) };
}

export async function exportImage(
  core: ComputeCore,
  ref: ImageRef,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const image = await findImage(core, core.store, ref);
  if (image === null) throw missing('image', ref.id);
  await core.pause(image.at - (await core.store.now()), signal);
  return Readable.from([imageBytes(image)]);
}

export const removeImage = (core: ComputeCore, ref: Ref): Promise<void> =>
  core.store.delete('image', nameOf(ref));
