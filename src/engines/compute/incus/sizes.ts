/** Changes the size or placement of a machine, and so its share of a host. */
import { EngineRefused } from '../../errors.ts';
import type { Placement, Ref, Size } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import {
  askOrNull,
  changeInstance,
  findRaw,
  insist,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './driver-context.ts';
import { hostOf, readHostTotals, requireChoice } from './hosts.ts';
import { nameOf, projectOf } from './names.ts';
import { isRunning } from './observation.ts';
import { diskOf, sizeConfig, sizeOf } from './quantities.ts';
import { askAt, memberOf, pathAt, type RawVolume } from './raw-volume.ts';
import { isClustered, isVolumeDevice } from './volume-context.ts';

const isSame = (a: Size, b: Size): boolean =>
  a.vcpus === b.vcpus && a.memoryMb === b.memoryMb && a.diskGb === b.diskGb;

function requirePossible({ capabilities }: Site, raw: RawInstance, size: Size): void {
  const { vcpus, memoryMb, diskGb } = sizeOf(raw);
  if (size.diskGb < diskGb)
    throw new EngineRefused(
      'engine_failed',
      `A disk of ${diskGb} GB cannot become one of ${size.diskGb} GB.`,
    );
  if (!isRunning(raw)) return;
  if (capabilities.liveResize !== true) throw new EngineRefused('invalid_state', capabilities.liveResize);
  if (size.vcpus < vcpus || size.memoryMb < memoryMb)
    throw new EngineRefused('invalid_state', 'A running machine can only grow. Stop it first.');
}

export async function ensureSize(
  site: Site,
  ...[ref, size, signal]: Parameters<ComputeEngine['ensureSize']>
): Promise<void> {
  const raw = await requireRaw(site, ref, signal);
  if (isSame(sizeOf(raw), size)) return;
  requirePossible(site, raw, size);
  await bookedFor(site, ref, raw, { size, placement: null }, signal, async () => {
    await changeInstance(
      site,
      ref,
      ({ config, devices }) => ({
        config: { ...config, ...sizeConfig(size) },
        devices: { ...devices, root: { ...devices['root'], size: diskOf(size) } },
      }),
      signal,
    );
  });
}

export async function ensurePlacement(
  site: Site,
  ...[ref, placement, signal]: Parameters<ComputeEngine['ensurePlacement']>
): Promise<void> {
  const raw = await requireRaw(site, ref, signal);
  if (placement === null) return;
  await bookedFor(site, ref, raw, { size: sizeOf(raw), placement }, signal, async () => {});
}

interface SizeRequest {
  readonly size: Size;
  readonly placement: Placement | null;
}

/**
 * Reserves the room first, then migrates the machine if necessary, then runs `change`. If one of these fails, the
 * ledger records the machine as it is.
 */
async function bookedFor(
  site: Site,
  ref: Ref,
  raw: RawInstance,
  { size, placement }: SizeRequest,
  signal: AbortSignal | undefined,
  change: () => Promise<void>,
): Promise<void> {
  const from = await hostOf(site, raw);
  const totals = await readHostTotals(site);
  const isHeld = !isRunning(raw) && (await hasLocalVolumes(site, ref, raw, signal));
  const within = isRunning(raw) || isHeld ? totals.filter(({ name }) => name === from) : totals;
  const choice = await site.ledger.move({ ...ref, host: from, size }, placement, within);
  if (isRunning(raw) && 'refused' in choice && choice.refused === 'placement_unsatisfiable')
    throw new EngineRefused('invalid_state', 'A running machine is not moved. Stop it first.');
  if (isHeld && 'refused' in choice) throw new EngineRefused(choice.refused, HELD);
  const host = requireChoice(choice);
  try {
    if (host !== from) await migrate(site, ref, host, signal);
    await change();
  } catch (error) {
    await noteAsIs(site, ref);
    throw error;
  }
}

const HELD =
  'The machine would have to move to another server, but its volumes keep it where it is. Detach them, repeat the call, and attach them again.';

/** The engine would move the machine, but not its volumes, and the machine could not start there. */
async function hasLocalVolumes(
  site: Site,
  ref: Ref,
  { devices, location }: RawInstance,
  signal?: AbortSignal,
): Promise<boolean> {
  const names = Object.entries(devices).flatMap(([name, { source }]) =>
    isVolumeDevice(name) && source !== undefined ? [source] : [],
  );
  if (names.length === 0 || !(await isClustered(site, signal))) return false;
  for (const name of names) {
    const place = { name, location };
    const found = await askOrNull(() =>
      site.client.ask<RawVolume>('GET', pathAt(site, place), askAt(ref, place, signal)),
    );
    if (found !== null && memberOf(found) !== undefined) return true;
  }
  return false;
}

async function migrate({ client }: Site, ref: Ref, target: string, signal?: AbortSignal): Promise<void> {
  const body = { name: nameOf(ref.id), migration: true };
  await insist(
    () => client.run('POST', pathOf(ref), { project: projectOf(ref), target, body, signal }),
    signal,
  );
}

/** If the machine cannot be read now, the reservation stays as requested: there is room for it. */
async function noteAsIs(site: Site, ref: Ref): Promise<void> {
  const raw = await findRaw(site, ref).catch(() => null);
  if (raw === null) return;
  await site.ledger.note({ ...ref, host: await hostOf(site, raw), size: sizeOf(raw) }).catch(() => undefined);
}
