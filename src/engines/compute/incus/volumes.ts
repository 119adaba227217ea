/**
 * Volumes: custom storage volumes in the project of the account. Containers get file systems, virtual machines get raw
 * devices: the engine supports nothing else.
 */
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { Ref, Snapshot } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import type { Volume, VolumeKind, VolumeSpec } from '../volume.ts';
import { capabilitiesOf } from './capabilities.ts';
import { findRaw, missing, type Site } from './driver-context.ts';
import { isPassing, isTaken } from './failure.ts';
import { readHostTotals } from './hosts.ts';
import { idOf, nameOf, projectOf } from './names.ts';
import { ensureProject } from './projects.ts';
import {
  askAt,
  currentOf,
  isMade,
  MADE,
  memberOf,
  pathAt,
  type RawVolume,
  volumeIdOf,
  volumesPath,
} from './raw-volume.ts';
import { outwaitVolumes } from './running-operations.ts';
import {
  destroyVolume,
  deviceOf,
  findOnly,
  findRawVolume,
  holderOf,
  isClustered,
  mountPointOf,
  onlyPlaceOf,
  sizeGbOf,
} from './volume-context.ts';
import { listVolumes } from './volume-list.ts';
import { findSettled, releaseRoom, volumeSize } from './volume-moves.ts';
import {
  presentListed,
  readVolumeSnapshots,
  requireVolumeSnapshot,
  snapshotPath,
} from './volume-snapshots.ts';
import { transferVolume } from './volume-transfer.ts';

async function present(
  site: Site,
  account: string,
  raw: RawVolume,
  snapshots: readonly Snapshot[],
): Promise<Volume> {
  const id = volumeIdOf(raw.name);
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
  if (await isClustered(site, signal)) {
    const raw = await findRawVolume(site, ref, signal);
    if (raw === null || !isMade(raw)) return null;
    return present(site, ref.account, raw, await readVolumeSnapshots(site, ref, raw, signal));
  }
  const [raw, snapshots] = await Promise.all([
    findOnly(site, ref, signal),
    readVolumeSnapshots(site, ref, onlyPlaceOf(ref), signal),
  ]);
  return raw === null || !isMade(raw) ? null : present(site, ref.account, raw, snapshots);
}

function grouped(all: readonly RawVolume[], keyOf: (raw: RawVolume) => string): Map<string, RawVolume[]> {
  const groups = new Map<string, RawVolume[]>();
  for (const raw of all) groups.set(keyOf(raw), [...(groups.get(keyOf(raw)) ?? []), raw]);
  return groups;
}

const keyOf = ({ project = '', name }: RawVolume): string => `${project} ${name.split('/', 1)[0]}`;

/** Sends one request for all volumes, and one for each volume with snapshots. */
export async function observeVolumes(
  site: Site,
  ...[signal]: Parameters<ComputeEngine['observeVolumes']>
): Promise<readonly Volume[]> {
  const all = (await listVolumes(site, signal)).filter(({ content_type }) => content_type !== 'iso');
  const isSnapshot = ({ name }: RawVolume): boolean => name.includes('/');
  const snapshotsOf = grouped(all.filter(isSnapshot), keyOf);
  const copies = grouped(
    all.filter((raw) => !isSnapshot(raw)),
    ({ project = '', name }) => `${project} ${volumeIdOf(name)}`,
  );
  const volumes: Volume[] = [];
  for (const raw of [...copies.values()].map(currentOf)) {
    if (raw === null) continue;
    const ref = { account: idOf(raw.project ?? ''), id: volumeIdOf(raw.name) };
    const listed = snapshotsOf.get(keyOf(raw)) ?? [];
    const snapshots = listed.length === 0 ? [] : await readListed(site, ref, raw, listed, signal);
    volumes.push(await present(site, ref.account, raw, snapshots));
  }
  return volumes;
}

async function readListed(
  site: Site,
  ref: Ref,
  raw: RawVolume,
  listed: readonly RawVolume[],
  signal?: AbortSignal,
): Promise<readonly Snapshot[]> {
  try {
    return await readVolumeSnapshots(site, ref, raw, signal);
  } catch (error) {
    if (memberOf(raw) === undefined || !isPassing(error)) throw error;
    return presentListed(listed);
  }
}

async function requireKind(site: Site, kind: VolumeKind, signal?: AbortSignal): Promise<void> {
  const name = kind === 'block' ? 'blockVolumes' : 'fileSystemVolumes';
  const reason = capabilitiesOf(site.settings, await site.readServer(signal))[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}

/** The member that should store the volume: that of the machine that gets it, or that of the snapshot. */
async function wantedMember(
  site: Site,
  { account }: Ref,
  { near = null, source }: VolumeSpec,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!(await isClustered(site, signal))) return undefined;
  const machine = near === null ? null : await findRaw(site, { account, id: near }, signal);
  if (machine !== null) return machine.location;
  const original = source && (await findRawVolume(site, { account, id: source.volume }, signal));
  return original === null ? undefined : memberOf(original);
}

async function reserve(site: Site, ref: Ref, spec: VolumeSpec, signal?: AbortSignal): Promise<string> {
  const size = volumeSize(spec.sizeGb);
  const totals = await readHostTotals(site);
  const wanted = await wantedMember(site, ref, spec, signal);
  for (const some of [totals.filter(({ name }) => name === wanted), totals]) {
    const choice = await site.ledger.reserve(ref, size, null, some);
    if ('host' in choice) return choice.host;
  }
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

/** Sends the request for the volume: to the member that stores it, if there are several. */
async function send(
  site: Site,
  ref: Ref,
  { source, sizeGb }: VolumeSpec,
  body: { readonly name: string },
  target: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const { client, settings } = site;
  const ask = askAt(ref, { name: body.name, location: target ?? '' }, signal);
  if (source === null) {
    await client.run('POST', volumesPath(site), { ...ask, body });
    return;
  }
  const original = { account: ref.account, id: source.volume };
  const from = target === undefined ? onlyPlaceOf(original) : await findSettled(site, original, signal);
  if (from === null) throw missing('snapshot', source.snapshot);
  const { diskGb: least } = await requireVolumeSnapshot(site, original, from, source.snapshot, signal);
  if (sizeGb < least) throw new EngineRefused('engine_failed', `The snapshot needs a volume of ${least} GB.`);
  const member = memberOf(from);
  if (target !== undefined && member !== undefined && member !== target) {
    const snapshot = snapshotPath(site, from, source.snapshot);
    return transferVolume(site, ref, from, { body, member: target, snapshot }, signal);
  }
  const copy = {
    type: 'copy',
    pool: settings.storagePool,
    project: projectOf(ref),
    name: `${from.name}/${source.snapshot}`,
    volume_only: true,
  };
  await client.run('POST', volumesPath(site), { ...ask, body: { ...body, source: copy } });
}

async function make(
  site: Site,
  ref: Ref,
  spec: VolumeSpec,
  host: string,
  signal?: AbortSignal,
): Promise<void> {
  const { server, server_clustered } = (await site.readServer(signal)).environment;
  const config = configOf(spec, server);
  const body = { name: nameOf(ref.id), type: 'custom', content_type: spec.kind, config };
  await send(site, ref, spec, body, server_clustered ? host : undefined, signal);
  // A copy has the settings of its original.
  const whole = { config: { ...config, ...MADE }, description: '' };
  const place = { ...onlyPlaceOf(ref), ...(server_clustered ? { location: host } : {}) };
  await site.client.run('PUT', pathAt(site, place), { ...askAt(ref, place, signal), body: whole });
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
    if (found !== null) await destroyVolume(site, ref, found, signal);
    const host = await reserve(site, ref, spec, signal);
    try {
      return await make(site, ref, spec, host, signal);
    } catch (error) {
      if (left > 0 && isTaken(error)) continue;
      if (error instanceof EngineRefused) await site.ledger.release(ref);
      throw error;
    }
  }
}

export async function removeVolume(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['removeVolume']>
): Promise<void> {
  let raw = await findSettled(site, ref, signal);
  while (raw !== null) {
    const holder = holderOf(raw);
    if (holder !== null) throw new EngineRefused('resource_in_use', `The machine ${holder} has the volume.`);
    await outwaitVolumes(site, ref, signal);
    await destroyVolume(site, ref, raw, signal);
    // Interrupted creations can leave something on several members.
    raw = memberOf(raw) === undefined ? null : await findSettled(site, ref, signal);
  }
  await releaseRoom(site, ref);
}
