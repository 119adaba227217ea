/** Attaches volumes to machines, detaches them and lets them grow. */
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { hasSucceeded } from './client.ts';
import { changeInstance, findRaw, insist, pathOf, requireRaw, type Site } from './driver-context.ts';
import { IncusError } from './failure.ts';
import { hostOf, readHostTotals } from './hosts.ts';
import { projectOf } from './names.ts';
import { isRunning } from './observation.ts';
import { memberOf, type RawVolume } from './raw-volume.ts';
import { changeVolume, deviceOf, holderOf, mountPointOf, sizeGbOf } from './volume-context.ts';
import { moveVolume, requireSettled, volumeSize } from './volume-moves.ts';

const machineOf = ({ account }: Ref, id: string): Ref => ({ account, id });

/** Somebody moved the machine at the engine. Nobody asked for a move of the volume, which can take long. */
const LEFT_BEHIND =
  'The machine is on another server than its volume. Detach the volume, and attach it again.';

/** Moves the volume to the member of the machine, unless it is there or on storage that all members share. */
async function bringTo(
  site: Site,
  ref: Ref,
  raw: RawVolume,
  { instance, mayMove }: { readonly instance: string; readonly mayMove: boolean },
  signal?: AbortSignal,
): Promise<RawVolume> {
  const member = memberOf(raw);
  if (member === undefined) return raw;
  const { location, devices } = await requireRaw(site, machineOf(ref, instance), signal);
  if (location === member) return raw;
  if (!mayMove || devices[deviceOf(ref.id)] !== undefined)
    throw new EngineRefused('invalid_state', LEFT_BEHIND);
  return moveVolume(site, ref, raw, location, signal);
}

export async function ensureVolumeAttached(
  site: Site,
  ...[ref, to, signal]: Parameters<ComputeEngine['ensureVolumeAttached']>
): Promise<void> {
  const { instance } = to;
  const found = await requireSettled(site, ref, signal);
  const holder = holderOf(found);
  if (holder !== null && holder !== instance)
    throw new EngineRefused('already_attached', `The machine ${holder} has the volume.`);
  const raw = await bringTo(site, ref, found, to, signal);
  const name = deviceOf(ref.id);
  const device = {
    type: 'disk',
    pool: site.settings.storagePool,
    source: raw.name,
    ...(raw.content_type === 'filesystem' ? { path: mountPointOf(ref.id) } : {}),
  };
  await changeInstance(
    site,
    machineOf(ref, instance),
    // After a move the volume has another name.
    ({ devices }) =>
      devices[name]?.['source'] === raw.name ? null : { devices: { ...devices, [name]: device } },
    signal,
  );
}

/** How long a guest may take to tell whether it uses a volume. */
const ANSWER_SECONDS = 20;

/** Succeeds if a process of the guest has a file of the mounted file system open, or works in one of its folders. */
const IS_USED = [
  'sh',
  '-c',
  `ls -l /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe /proc/[0-9]*/fd/* 2>/dev/null |
    grep -qE -e "-> $HOSTPLANE_MOUNT(/|$)" || grep -qs " $HOSTPLANE_MOUNT/" /proc/[0-9]*/maps`,
];

/**
 * The engine takes a file system from a container even while processes use it, and they would go on writing to it. So
 * the guest is asked first. A guest without a shell cannot answer, and is taken to use nothing.
 */
async function requireUnused(site: Site, machine: Ref, mount: string, signal?: AbortSignal): Promise<void> {
  const body = {
    command: IS_USED,
    environment: { HOSTPLANE_MOUNT: mount },
    interactive: false,
    'wait-for-websocket': false,
    'record-output': false,
  };
  const ask = { project: projectOf(machine), body, signal };
  const path = `${pathOf(machine)}/exec`;
  const done = await insist(() => site.client.begin('POST', path, ANSWER_SECONDS, ask), signal).catch(
    (error: unknown) => {
      if (error instanceof IncusError) return null;
      throw error;
    },
  );
  if (done === null || (hasSucceeded(done) && done.metadata?.['return'] !== 0)) return;
  const detail = hasSucceeded(done)
    ? 'Processes in the guest still use the volume. Stop them, or detach it by force.'
    : `The guest did not tell within ${ANSWER_SECONDS} seconds whether it uses the volume. Try again, or detach it by force.`;
  throw new EngineRefused('guest_refused_detach', detail);
}

export async function ensureVolumeDetached(
  site: Site,
  ...[ref, { instance, force }, signal]: Parameters<ComputeEngine['ensureVolumeDetached']>
): Promise<void> {
  const machine = machineOf(ref, instance);
  const raw = await findRaw(site, machine, signal);
  const name = deviceOf(ref.id);
  const mount = raw?.devices[name]?.['path'];
  if (raw === null || raw.devices[name] === undefined) return;
  if (!force && mount !== undefined && isRunning(raw)) await requireUnused(site, machine, mount, signal);
  await changeInstance(
    site,
    machine,
    ({ devices: { [name]: device, ...devices } }) => (device === undefined ? null : { devices }),
    signal,
  );
}

async function requireResizable(site: Site, ref: Ref, holder: string | null, signal?: AbortSignal) {
  const reason = site.capabilities.onlineVolumeResize;
  const machine = holder === null ? null : await findRaw(site, machineOf(ref, holder), signal);
  if (machine === null || reason === true || !isRunning(machine)) return;
  throw new EngineRefused('invalid_state', reason);
}

export async function ensureVolumeSize(
  site: Site,
  ...[ref, sizeGb, signal]: Parameters<ComputeEngine['ensureVolumeSize']>
): Promise<void> {
  const raw = await requireSettled(site, ref, signal);
  const before = sizeGbOf(raw);
  if (before === sizeGb) return;
  if (before > sizeGb)
    throw new EngineRefused('engine_failed', `A volume of ${before} GB cannot become one of ${sizeGb} GB.`);
  await requireResizable(site, ref, holderOf(raw), signal);
  const host =
    memberOf(raw) ??
    (await site.ledger.find(ref))?.host ??
    (await hostOf(site, { location: 'none' }, signal));
  const entry = (diskGb: number) => ({ ...ref, host, size: volumeSize(diskGb) });
  const totals = (await readHostTotals(site)).filter(({ name }) => name === host);
  const choice = await site.ledger.move(entry(sizeGb), null, totals);
  if ('refused' in choice)
    throw new EngineRefused('capacity_unavailable', 'This location has no room for a volume of this size.');
  try {
    await changeVolume(
      site,
      ref,
      raw,
      ({ config }) => ({ config: { ...config, size: `${sizeGb}GiB` } }),
      signal,
    );
  } catch (error) {
    if (error instanceof EngineRefused) await site.ledger.note(entry(before));
    throw error;
  }
}
