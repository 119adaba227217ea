/**
 * Volumes: custom storage volumes in the project of the account. Containers get file systems, virtual machines get raw
 * devices: the engine supports nothing else.
 */
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { Ref, Size, Snapshot } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import type { Volume, VolumeKind, VolumeSpec } from '../volume.ts';
import { capabilitiesOf } from './capabilities.ts';
import { insist, type Site } from './driver-context.ts';
import { isMissing, isTaken } from './failure.ts';
import { readRooms } from './hosts.ts';
import { idOf, nameOf, projectOf } from './names.ts';
import { ensureProject } from './projects.ts';
import { outwaitVolumes } from './running-operations.ts';
import {
  deviceOf,
  findRawVolume,
  holderOf,
  isMade,
  MADE,
  mountPointOf,
  type RawVolume,
  sizeGbOf,
  volumePath,
  volumesPath,
} from './volume-context.ts';
import { listVolumes } from './volume-list.ts';
import { readVolumeSnapshots, requireVolumeSnapshot } from './volume-snapshots.ts';

async function present(
  site: Site,
  account: string,
  raw: RawVolume,
  snapshots: readonly Snapshot[],
): Promise<Volume> {
  const id = idOf(raw.name);
  const kind: VolumeKind = raw.content_type === 'block' ? 'block' : 'filesystem';
  const { server } = (await site.readServer()).environment;
  const serial = kind === 'block' ? `${server}_${deviceOf(id)}` : null;
  const path = serial === null ? mountPointOf(id) : `/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_${serial}`;
  return { account, id, kind, sizeGb: sizeGbOf(raw), instance: holderOf(raw), path, serial, snapshots };
}

export async function observeVolume(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['observeVolume']>
): Promise<Volume | null> {
  const [raw, snapshots] = await Promise.all([
    findRawVolume(site, ref, signal),
    readVolumeSnapshots(site, ref, signal),
  ]);
  return raw === null || !isMade(raw) ? null : present(site, ref.account, raw, snapshots);
}

/** Sends one request for all volumes, and one for each volume with snapshots. */
export async function observeVolumes(
  site: Site,
  ...[signal]: Parameters<ComputeEngine['observeVolumes']>
): Promise<readonly Volume[]> {
  const all = await listVolumes(site, signal);
  const snapped = new Set(
    all
      .filter(({ name }) => name.includes('/'))
      .map(({ project, name }) => `${project} ${name.split('/')[0]}`),
  );
  const volumes: Volume[] = [];
  for (const raw of all) {
    if (raw.name.includes('/') || !isMade(raw) || raw.content_type === 'iso') continue;
    const { project = '', name } = raw;
    const ref = { account: idOf(project), id: idOf(name) };
    const snapshots = snapped.has(`${project} ${name}`) ? await readVolumeSnapshots(site, ref, signal) : [];
    volumes.push(await present(site, ref.account, raw, snapshots));
  }
  return volumes;
}

const sizeOf = (diskGb: number): Size => ({ vcpus: 0, memoryMb: 0, diskGb });

async function requireKind(site: Site, kind: VolumeKind, signal?: AbortSignal): Promise<void> {
  const name = kind === 'block' ? 'blockVolumes' : 'fileSystemVolumes';
  const reason = capabilitiesOf(site.settings, await site.readServer(signal))[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}

function requireRoom(choice: Awaited<ReturnType<Site['ledger']['reserve']>>): void {
  if ('host' in choice) return;
  throw new EngineRefused('capacity_unavailable', 'This location has no room for a volume of this size.');
}

/**
 * On Incus each container has its own range of user ids, and all of them see the same owners in the file system. On
 * LXD all containers have the same range.
 */
const configOf = ({ kind, sizeGb }: VolumeSpec, server: string) => ({
  size: `${sizeGb}GiB`,
  ...(kind === 'filesystem' && server === 'incus' ? { 'security.shifted': 'true' } : {}),
});

async function make(site: Site, ref: Ref, spec: VolumeSpec, signal?: AbortSignal): Promise<void> {
  const { client, settings } = site;
  const project = projectOf(ref);
  const { source } = spec;
  const config = configOf(spec, (await site.readServer(signal)).environment.server);
  if (source !== null) {
    const original = { account: ref.account, id: source.volume };
    const least = sizeGbOf(await requireVolumeSnapshot(site, original, source.snapshot, signal));
    if (spec.sizeGb < least)
      throw new EngineRefused('engine_failed', `The snapshot needs a volume of ${least} GB.`);
  }
  const copy = source && {
    type: 'copy',
    pool: settings.storagePool,
    project,
    name: `${nameOf(source.volume)}/${source.snapshot}`,
    volume_only: true,
  };
  const body = {
    name: nameOf(ref.id),
    type: 'custom',
    content_type: spec.kind,
    config,
    ...(copy === null ? {} : { source: copy }),
  };
  await client.run('POST', volumesPath(site), { project, body, signal });
  // A copy has the settings of its original.
  const whole = { config: { ...config, ...MADE }, description: '' };
  await client.run('PUT', volumePath(site, ref), { project, body: whole, signal });
}

const TRIES = 3;

export async function ensureVolume(
  site: Site,
  ...[ref, spec, signal]: Parameters<ComputeEngine['ensureVolume']>
): Promise<void> {
  await requireKind(site, spec.kind, signal);
  await ensureProject(site, ref.account);
  for (let left = TRIES; ; left--) {
    let found = await findRawVolume(site, ref, signal);
    if (found !== null && !isMade(found) && (await outwaitVolumes(site, ref, signal)))
      found = await findRawVolume(site, ref, signal);
    if (found !== null && isMade(found)) return;
    if (found !== null) await destroy(site, ref, signal);
    requireRoom(await site.ledger.reserve(ref, sizeOf(spec.sizeGb), null, await readRooms(site)));
    try {
      return await make(site, ref, spec, signal);
    } catch (error) {
      if (left > 0 && isTaken(error)) continue;
      if (error instanceof EngineRefused) await site.ledger.release(ref);
      throw error;
    }
  }
}

async function destroy(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  const ask = { project: projectOf(ref), signal };
  await insist(() => site.client.run('DELETE', volumePath(site, ref), ask), signal).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
}

export async function removeVolume(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['removeVolume']>
): Promise<void> {
  const raw = await findRawVolume(site, ref, signal);
  const holder = raw && holderOf(raw);
  if (holder !== null) throw new EngineRefused('resource_in_use', `The machine ${holder} has the volume.`);
  if (raw !== null) {
    await outwaitVolumes(site, ref, signal);
    await destroy(site, ref, signal);
  }
  await site.ledger.release(ref);
}
