/** Creates and removes machines. */
import { setTimeout as wait } from 'node:timers/promises';

import { EngineRefused } from '../../errors.ts';
import type { InstanceSpec, Placement, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys } from './config-keys.ts';
import { consoleConfig } from './consoles.ts';
import { type Origin, originOf } from './disk-source.ts';
import { changeInstance, findRaw, missing, pathOf, type Site } from './driver-context.ts';
import { IncusError, isBusy, isHaunted, isMissing, isPassing, isTaken, isWithoutImage } from './failure.ts';
import { guestConfig } from './guests.ts';
import { forgetHostTotals, hostOf, readHostTotals, requireChoice } from './hosts.ts';
import { driveOf, dropCopy } from './isos.ts';
import { nameOf, projectOf } from './names.ts';
import { nicParts } from './nics.ts';
import { isWhole } from './observation.ts';
import { forgetPorts } from './ovn/ports.ts';
import { ensureStopped } from './power.ts';
import { ensureProject, forgetProject } from './projects.ts';
import { diskOf, sizeConfig, sizeOf } from './quantities.ts';
import { clearHelper } from './routes.ts';
import { outwaitMachine } from './running-operations.ts';

export { observeInstance, observeInstances } from './observation.ts';

const TRIES = 5;
const PAUSES = 40;
const PAUSE_MS = 100;

/**
 * Sends the request without reading first, because the machine usually does not exist yet. If the engine refuses, the
 * existing machine decides the outcome: another process may have created it, now or before a crash.
 */
export async function ensureInstance(
  site: Site,
  ...[ref, spec, signal]: Parameters<ComputeEngine['ensureInstance']>
): Promise<void> {
  const haunted = new Set<string>();
  for (let left = TRIES; ; left--) {
    try {
      return await make(site, ref, spec, haunted, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (left === 0 || !isRefusal(error)) {
        forgetHostTotals(site);
        throw error;
      }
      const found = await settle(site, ref, signal);
      if (found === 'whole') return;
      if (isHaunted(error)) haunted.add((await site.ledger.find(ref))?.host ?? '');
      if (found === 'none' && !isTaken(error) && !isBusy(error)) {
        await site.ledger.release(ref);
        throw error;
      }
    }
  }
}

/**
 * If the engine does not answer or has a temporary fault, the outcome is unknown and nothing is cleaned up. Busy
 * counts as a refusal: another process is creating the machine.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof EngineRefused || (error instanceof IncusError && (isBusy(error) || !isPassing(error)));

async function make(
  site: Site,
  ref: Ref,
  spec: InstanceSpec,
  haunted: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  const [origin, all, { environment }] = await Promise.all([
    originOf(site, ref, spec.source, spec.size, signal),
    readHostTotals(site),
    site.readServer(),
    ensureProject(site, ref.account),
  ]);
  const others = all.filter(({ name }) => !haunted.has(name));
  const totals = others.length === 0 ? all : others;
  const placement = spec.placement ?? nearVolumes(spec);
  const host = requireChoice(await site.ledger.reserve(ref, spec.size, placement, totals));
  const ask = {
    project: projectOf(ref),
    ...(environment.server_clustered ? { target: host } : {}),
    body: bodyOf(site, ref, spec, origin, environment.server),
    signal,
  };
  try {
    await site.client.run('POST', '/1.0/instances', ask);
  } catch (error) {
    if ('image' in spec.source && isWithoutImage(error)) throw missing('image', spec.source.image.id);
    if (!(error instanceof IncusError && /project not found/i.test(error.message))) throw error;
    forgetProject(site, ref.account);
    await ensureProject(site, ref.account);
    await site.client.run('POST', '/1.0/instances', ask);
  }
  if (Object.keys(origin.unwanted.devices).length > 0) await dropMasks(site, ref, signal);
}

/** The members with most of the volumes are preferred: what is elsewhere has to be moved. */
const nearVolumes = ({ volumes = [] }: InstanceSpec): Placement | null =>
  volumes.length === 0 ? null : { groupId: '', policy: 'compact', strict: false, others: volumes };

/**
 * Each container has its own range of user ids, so a process that breaks out owns nothing outside its container. Not
 * on LXD: it can assign ids that it may not use to containers created at the same time, and then fails to start them.
 */
const containerConfig = (server: string) => ({
  ...consoleConfig,
  ...(server === 'incus' ? { 'security.idmap.isolated': 'true' } : {}),
});

function bodyOf(
  site: Site,
  ref: Ref,
  spec: InstanceSpec,
  { source, image, architecture, unwanted }: Origin,
  server: string,
) {
  const { size, nics, guest } = spec;
  const { instanceType: type, storagePool: pool } = site.settings;
  const { config, devices } = nicParts(site, ref, nics);
  return {
    name: nameOf(ref.id),
    type,
    ...(architecture === undefined ? {} : { architecture }),
    profiles: [],
    config: {
      ...unwanted.config,
      ...sizeConfig(size),
      ...(type === 'virtual-machine' ? firmwareOf(spec) : containerConfig(server)),
      ...guestConfig(guest),
      [keys.image]: JSON.stringify(image),
      ...config,
    },
    devices: {
      ...unwanted.devices,
      root: { type: 'disk', path: '/', pool, size: diskOf(size) },
      ...devices,
    },
    source,
  };
}

export const firmwareOf = ({ bootMode, secureBoot }: Pick<InstanceSpec, 'bootMode' | 'secureBoot'>) => ({
  'security.secureboot': String(secureBoot && bootMode === 'uefi'),
  ...(bootMode === 'bios' ? { 'security.csm': 'true' } : {}),
});

/** Removes the `none` devices that kept the copy from inheriting the original's interfaces. */
async function dropMasks(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  await changeInstance(
    site,
    ref,
    ({ devices }) => {
      const kept = Object.entries(devices).filter(([, { type }]) => type !== 'none');
      return kept.length === Object.keys(devices).length ? null : { devices: Object.fromEntries(kept) };
    },
    signal,
  );
}

/**
 * Waits for running work on the machine, then returns what exists. An incomplete machine without running work was
 * left behind by an engine that died, and is removed. The machine is read only after its work ended, so that a
 * creation that just finished is seen as complete.
 */
async function settle(site: Site, ref: Ref, signal?: AbortSignal): Promise<'whole' | 'none' | 'removed'> {
  for (;;) {
    const hadWork = await outwaitMachine(site, ref, signal);
    const raw = await findRaw(site, ref, signal);
    if (raw === null) return 'none';
    if (isWhole(raw)) {
      await site.ledger.note({ ...ref, host: await hostOf(site, raw), size: sizeOf(raw) });
      return 'whole';
    }
    if (hadWork) continue;
    await destroy(site, ref, signal);
    return 'removed';
  }
}

export async function removeInstance(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['removeInstance']>
): Promise<void> {
  const iso = await isoInDrive(site, ref, signal);
  await destroy(site, ref, signal);
  await dropCopy(site, ref.account, iso, signal);
  await forgetPorts(site, ref, null, signal);
  await clearHelper(site, ref, signal);
  await site.logs.forget(ref);
  await site.ledger.release(ref);
}

/** Only virtual machines have a drive, so containers are spared the request. */
async function isoInDrive(site: Site, ref: Ref, signal?: AbortSignal): Promise<string | undefined> {
  if (site.settings.instanceType !== 'virtual-machine') return undefined;
  const raw = await findRaw(site, ref, signal);
  return raw === null ? undefined : driveOf(raw)?.iso;
}

/**
 * Waits for other work on the machine. A guest's own shutdown keeps the machine busy without an engine operation, so
 * the call pauses and retries. A running machine is stopped by force.
 */
async function destroy(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  const ask = { project: projectOf(ref), signal };
  for (let left = PAUSES; ; left--) {
    try {
      await site.client.run('DELETE', pathOf(ref), ask);
      return;
    } catch (error) {
      if (isMissing(error)) return;
      if (left === 0) throw error;
      if (error instanceof IncusError && /is running|is frozen/i.test(error.message))
        await ensureStopped(site, ref, signal).catch(unlessGone);
      else if (!isBusy(error)) throw error;
      else if (!(await outwaitMachine(site, ref, signal))) await wait(PAUSE_MS, undefined, { signal });
    }
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof EngineRefused && error.code === 'not_found')) throw error;
}
