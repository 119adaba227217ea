/** Changes to the disk of a stopped machine: restoring a snapshot and rebuilding from an image. */
import { EngineRefused } from '../../errors.ts';
import type { Boot, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys, noteDone, wasDone } from './config-keys.ts';
import { clearLog } from './consoles.ts';
import {
  type Changeable,
  changeInstance,
  findRaw,
  gone,
  insist,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './driver-context.ts';
import { isMissing } from './failure.ts';
import { withGuest } from './guests.ts';
import { requireImage } from './images.ts';
import { firmwareOf } from './machines.ts';
import { nameOf, projectOf } from './names.ts';
import { outwaitMachine } from './running-operations.ts';
import { findKept, forget, type Kept, keep } from './saved-machine.ts';
import { clearSnapshots, diskGbOf, type RawSnapshot } from './snapshots.ts';

type Config = Changeable['config'];

function requireStopped({ status }: RawInstance): void {
  if (status !== 'Stopped')
    throw new EngineRefused('invalid_state', 'The machine is running. Stop it first.');
}

function requireNewest(snapshots: readonly RawSnapshot[], id: string): void {
  const snapshot = snapshots.find(({ name }) => name === id);
  if (snapshot === undefined) throw new EngineRefused('not_found', `The machine has no snapshot ${id}.`);
  if (snapshots.at(-1) !== snapshot)
    throw new EngineRefused('invalid_state', 'Newer snapshots exist. Remove them first.');
}

/**
 * Combines the configuration from before the restore with the engine's own `volatile.*` keys for the restored disk.
 */
function withDiskOf(before: Config, disk: Config): Config {
  const isOfDisk = ([key]: [string, string]): boolean => key.startsWith('volatile.');
  const ours = Object.entries(before).filter((entry) => !isOfDisk(entry));
  const theirs = Object.entries(disk).filter(isOfDisk);
  return {
    ...Object.fromEntries([...ours, ...theirs]),
    // The snapshot of a running machine records that the machine runs, and the engine would start the machine when
    // the daemon starts.
    'volatile.last_state.power': 'STOPPED',
    // The guest data changed since the snapshot, so the templates have to be written to the disk again.
    ...(before[keys.seed] === disk[keys.seed] ? {} : { 'volatile.apply_template': 'create' }),
  };
}

/**
 * The engine restores the configuration together with the disk. Only the disk is wanted, so the configuration is
 * saved before and written back afterwards.
 */
export async function ensureRestored(
  site: Site,
  ref: Ref,
  { once, snapshot }: Parameters<ComputeEngine['ensureRestored']>[1],
  signal?: AbortSignal,
): Promise<void> {
  await outwaitMachine(site, ref, signal);
  const raw = await requireRaw(site, ref, signal);
  if (!wasDone(raw.config, once)) {
    requireStopped(raw);
    requireNewest(await clearSnapshots(site, ref, signal), snapshot);
    const before = await keep(site, ref, raw, once, signal);
    const ask = { project: projectOf(ref), body: { restore: snapshot }, signal };
    await insist(() => site.client.run('PUT', pathOf(ref), ask), signal);
    const { devices } = before;
    const mended = ({ config }: RawInstance) => ({
      config: noteDone(withDiskOf(before.config, config), once),
      devices,
    });
    await changeInstance(site, ref, mended, signal);
  }
  await forget(site, ref, signal);
}

const REBUILDS = 'instances_rebuild';

/**
 * For engines that cannot rebuild: deletes the machine and creates it again with the same name, size, interfaces and
 * settings.
 */
async function replace(
  { client }: Site,
  ref: Ref,
  { architecture, config, devices, location, type }: Omit<Kept, 'once'>,
  source: object,
  signal?: AbortSignal,
): Promise<void> {
  const project = projectOf(ref);
  await insist(() => client.run('DELETE', pathOf(ref), { project, signal }), signal).catch(
    (error: unknown) => {
      if (!isMissing(error)) throw error;
    },
  );
  const kept = Object.entries(config).filter(([key]) => !/^(volatile|image)\./.test(key));
  const body = {
    name: nameOf(ref.id),
    architecture,
    type,
    profiles: [],
    config: Object.fromEntries(kept),
    devices,
    source,
  };
  const target = location === 'none' ? {} : { target: location };
  await client.run('POST', '/1.0/instances', { project, ...target, body, signal });
}

/** Sets the boot mode of a virtual machine; containers have none. */
function withBoot(config: Config, type: RawInstance['type'], boot: Boot | undefined): Config {
  if (boot === undefined || type !== 'virtual-machine') return config;
  const { 'security.csm': _, ...others } = config;
  return { ...others, ...firmwareOf({ bootMode: boot.mode, secureBoot: boot.secure }) };
}

export async function ensureRebuilt(
  site: Site,
  ref: Ref,
  { once, image, guest, boot }: Parameters<ComputeEngine['ensureRebuilt']>[1],
  signal?: AbortSignal,
): Promise<void> {
  await outwaitMachine(site, ref, signal);
  const isNative = (await site.readServer(signal)).api_extensions.includes(REBUILDS);
  const raw = await findRaw(site, ref, signal);
  // An earlier attempt may have deleted the machine and crashed before it created the new one.
  const before = raw ?? (isNative ? null : await findKept(site, ref, signal));
  if (before === null) throw gone(ref);
  if (raw === null || !wasDone(raw.config, once)) {
    if (raw !== null) requireStopped(raw);
    if ((await clearSnapshots(site, ref, signal)).length > 0)
      throw new EngineRefused('invalid_state', 'The machine has snapshots. Remove them first.');
    const fingerprint = await requireImage(site, image, diskGbOf(before.devices), signal);
    const source = { type: 'image', fingerprint };
    if (isNative) {
      const ask = { project: projectOf(ref), body: { source }, signal };
      await insist(() => site.client.run('POST', `${pathOf(ref)}/rebuild`, ask), signal);
    } else {
      const kept = raw === null ? before : await keep(site, ref, raw, once, signal);
      await replace(site, ref, kept, source, signal);
    }
    await clearLog(site, ref, signal);
    const told = ({ config, type }: RawInstance) => {
      const fresh = withBoot(withGuest(config, guest), type, boot);
      return { config: noteDone({ ...fresh, [keys.image]: JSON.stringify(image) }, once) };
    };
    await changeInstance(site, ref, told, signal);
  }
  if (!isNative) await forget(site, ref, signal);
}
