/**
 * Volumes of the sandbox: raw devices whose content is one text. They are not stored on a host, so a machine on any
 * host can have them.
 */

import { refuseMissingCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Name } from '../../sandbox/store.ts';
import type { Ref } from '../instance.ts';
import type { Volume, VolumeSpec } from '../volume.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { type ComputeCore, missing, nameOf } from './core.ts';
import { isOn, type Moment, type StoredVolume, withOnce } from './state.ts';
import type { ComputeStateStore } from './store.ts';

const BYTES_PER_BLOCK = 4096;

/** The serial number of a SCSI disk has room for an id. */
const serialOf = (id: string): string => id;
const pathOf = (id: string): string => `/dev/disk/by-id/scsi-${serialOf(id)}`;

type Change = (store: ComputeStateStore, volume: StoredVolume, now: Moment) => Promise<StoredVolume | null>;

const restsAt = ({ busyUntil, snapshots }: StoredVolume): Moment =>
  Math.max(busyUntil, ...snapshots.map(({ at }) => at));

async function changeVolume(
  core: ComputeCore,
  ref: Ref,
  signal: AbortSignal | undefined,
  apply: Change,
): Promise<void> {
  if (!(await core.change('volume', nameOf(ref), signal, { restsAt, apply })))
    throw missing('volume', ref.id);
}

async function contentOf(
  store: ComputeStateStore,
  project: string,
  source: VolumeSpec['source'],
  sizeGb: number,
) {
  if (source === null) return '';
  const volume = await store.find('volume', { project, id: source.volume });
  const snapshot = volume?.snapshots.find(({ id }) => id === source.snapshot);
  if (snapshot === undefined) throw missing('snapshot', source.snapshot);
  if (snapshot.sizeGb > sizeGb)
    throw new EngineRefused('engine_failed', `The snapshot needs a volume of ${snapshot.sizeGb} GB.`);
  return snapshot.content;
}

export async function ensureVolume(
  core: ComputeCore,
  ref: Ref,
  { kind, sizeGb, source }: VolumeSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (kind === 'filesystem') refuseMissingCapability(sandboxCapabilities, 'fileSystemVolumes');
  const name = nameOf(ref);
  const pending = await core.store.transact(async (store) => {
    const present = await store.lock('volume', name);
    const now = await store.now();
    if (present !== null) return restsAt(present) - now;
    const content = await contentOf(store, name.project, source, sizeGb);
    const busyUntil = now + core.takes('volume');
    await store.insert('volume', name, {
      sizeGb,
      content,
      instance: null,
      busyUntil,
      snapshots: [],
      once: [],
    });
    return busyUntil - now;
  });
  await core.pause(pending, signal);
}

function present({ project, id }: Name, volume: StoredVolume, now: Moment): Volume {
  return {
    account: project,
    id,
    kind: 'block',
    sizeGb: volume.sizeGb,
    instance: volume.instance,
    path: pathOf(id),
    serial: serialOf(id),
    snapshots: volume.snapshots
      .filter(({ at }) => at <= now)
      .map(({ id: snapshotId, at, content, sizeGb, consistency }) => ({
        id: snapshotId,
        createdAt: new Date(at),
        sizeBytes: Math.ceil(content.length / BYTES_PER_BLOCK) * BYTES_PER_BLOCK,
        diskGb: sizeGb,
        consistency,
      })),
  };
}

export async function observeVolume({ store }: ComputeCore, ref: Ref): Promise<Volume | null> {
  const volume = await store.find('volume', nameOf(ref));
  return volume === null ? null : present(nameOf(ref), volume, await store.now());
}

export async function observeVolumes({ store }: ComputeCore): Promise<Volume[]> {
  const volumes = await store.list('volume');
  if (volumes.length === 0) return [];
  const now = await store.now();
  return volumes.map((found) => present(found, found.state, now));
}

export async function removeVolume(
  core: ComputeCore,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const wasThere = await core.store.transact(async (store) => {
    const volume = await store.lock('volume', name);
    if (volume === null) return false;
    if (volume.instance !== null)
      throw new EngineRefused('resource_in_use', `The machine ${volume.instance} has the volume.`);
    await store.delete('volume', name);
    return true;
  });
  if (wasThere) await core.pause(core.takes('remove'), signal);
}

export const ensureVolumeSize = (
  core: ComputeCore,
  ref: Ref,
  sizeGb: number,
  signal: AbortSignal | undefined,
) =>
  changeVolume(core, ref, signal, async (_, volume, now) => {
    if (volume.sizeGb === sizeGb) return null;
    if (volume.sizeGb > sizeGb)
      throw new EngineRefused(
        'engine_failed',
        `A volume of ${volume.sizeGb} GB cannot become one of ${sizeGb} GB.`,
      );
    return { ...volume, sizeGb, busyUntil: now + core.takes('resize') };
  });

export const ensureVolumeAttached = (
  core: ComputeCore,
  ref: Ref,
  { instance }: { readonly instance: string },
  signal: AbortSignal | undefined,
) =>
  changeVolume(core, ref, signal, async (store, volume, now) => {
    if (volume.instance === instance) return null;
    if (volume.instance !== null)
      throw new EngineRefused('already_attached', `The machine ${volume.instance} has the volume.`);
    if (!(await store.hold('machine', { project: ref.account, id: instance })))
      throw missing('machine', instance);
    return { ...volume, instance, busyUntil: now + core.takes('attach') };
  });

/** `isRefused`: a fault rule says that the guest uses the volume. */
export const ensureVolumeDetached = (
  core: ComputeCore,
  ref: Ref,
  instance: string,
  isRefused: boolean,
  signal: AbortSignal | undefined,
) =>
  changeVolume(core, ref, signal, async (store, volume, now) => {
    if (volume.instance !== instance) return null;
    if (isRefused && (await isRunning(store, ref.account, instance, now)))
      throw new EngineRefused('guest_refused_detach', 'The guest still uses the volume.');
    return { ...volume, instance: null, busyUntil: now + core.takes('attach') };
  }).catch((error: unknown) => {
    if (!(error instanceof EngineRefused && error.code === 'not_found')) throw error;
  });

async function isRunning(
  store: ComputeStateStore,
  project: string,
  instance: string | null,
  now: Moment,
): Promise<boolean> {
  const machine = instance === null ? null : await store.find('machine', { project, id: instance });
  return machine !== null && isOn(machine, now);
}

export const ensureVolumeSnapshot = (
  core: ComputeCore,
  ref: Ref,
  id: string,
  signal: AbortSignal | undefined,
) =>
  changeVolume(core, ref, signal, async (store, volume, now) => {
    if (volume.snapshots.some((snapshot) => snapshot.id === id)) return null;
    const { content, sizeGb, instance } = volume;
    const isUsed = await isRunning(store, ref.account, instance, now);
    const consistency = isUsed ? ('crash' as const) : ('filesystem' as const);
    const snapshot = { id, at: now + core.takes('snapshot'), content, sizeGb, consistency };
    return { ...volume, snapshots: [...volume.snapshots, snapshot] };
  });

export const removeVolumeSnapshot = (
  core: ComputeCore,
  ref: Ref,
  id: string,
  signal: AbortSignal | undefined,
) =>
  core.change('volume', nameOf(ref), signal, {
    restsAt,
    apply: async (_, volume) => {
      const snapshots = volume.snapshots.filter((snapshot) => snapshot.id !== id);
      return snapshots.length === volume.snapshots.length ? null : { ...volume, snapshots };
    },
  });

export const ensureVolumeRestored = (
  core: ComputeCore,
  ref: Ref,
  { once, snapshot: id }: { readonly once: string; readonly snapshot: string },
  signal: AbortSignal | undefined,
) =>
  changeVolume(core, ref, signal, async (store, volume, now) => {
    if (volume.once.includes(once)) return null;
    if (await isRunning(store, ref.account, volume.instance, now))
      throw new EngineRefused('invalid_state', 'The machine of the volume runs. Stop it first.');
    const snapshot = volume.snapshots.find((each) => each.id === id);
    if (snapshot === undefined) throw missing('snapshot', id);
    if (volume.snapshots.at(-1) !== snapshot)
      throw new EngineRefused('invalid_state', 'Newer snapshots exist. Remove them first.');
    const busyUntil = now + core.takes('restore');
    return withOnce({ ...volume, content: snapshot.content, busyUntil }, once);
  });

/** The devices that the guest of this machine sees: their paths and contents. */
export async function devicesOf(
  store: ComputeStateStore,
  { project, id }: Name,
): Promise<Record<string, string>> {
  const volumes = await store.containing('volume', project, { instance: id });
  return Object.fromEntries(volumes.map(({ id: volumeId, state }) => [pathOf(volumeId), state.content]));
}

/** Writes to a device. Returns false if the machine has no such device. */
export async function writeDevice(
  core: ComputeCore,
  ref: Ref,
  path: string,
  content: string,
): Promise<boolean> {
  const { project, id: instance } = nameOf(ref);
  const volumes = await core.store.containing('volume', project, { instance });
  const found = volumes.find(({ id }) => pathOf(id) === path);
  if (found === undefined) return false;
  await changeVolume(core, { account: ref.account, id: found.id }, undefined, async (_, volume) =>
    volume.instance === instance ? { ...volume, content } : null,
  );
  return true;
}
