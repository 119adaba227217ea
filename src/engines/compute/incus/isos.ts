/**
 * ISOs: custom storage volumes of the type `iso` in the project of the account, and the drive of virtual machines. A
 * machine can use only volumes of its own project, so an ISO of the provider is copied there for the first machine
 * that has it in its drive, and removed with the last one. The engine has no boot order for a single start. So the
 * driver gives the drive the highest priority, and takes the priority away before the start that follows the next one.
 */
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { Drive, Iso } from '../iso.ts';
import type { ComputeEngine } from '../port.ts';
import { capabilitiesOf, ISO_EXTENSION, NO_ISOS } from './capabilities.ts';
import { keys } from './config-keys.ts';
import { changeInstance, insist, missing, type RawInstance, type Site } from './driver-context.ts';
import { isMissing, isTaken } from './failure.ts';
import { DEFAULT, idOf, nameOf, projectOf } from './names.ts';
import { ensureProject } from './projects.ts';
import { bytesOf } from './quantities.ts';
import { pathAt, type RawVolume, volumesPath } from './raw-volume.ts';
import { outwaitVolumes } from './running-operations.ts';
import { destroyVolume, findOnly, holderOf, onlyPlaceOf } from './volume-context.ts';
import { listVolumes } from './volume-list.ts';

const DRIVE = 'drive';
const FIRST = { 'boot.priority': '10' };

async function findIso(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawVolume | null> {
  const raw = await findOnly(site, ref, signal);
  return raw?.content_type === 'iso' ? raw : null;
}

const destroy = (site: Site, ref: Ref, signal?: AbortSignal): Promise<void> =>
  destroyVolume(site, ref, onlyPlaceOf(ref), signal);

/** Says that all of the content has arrived. The engine lets nobody change the settings of an ISO. */
const WHOLE = 'whole';
const isWhole = ({ description }: RawVolume): boolean => description === WHOLE;

async function mark(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  const project = projectOf(ref);
  const { config } = (await findIso(site, ref, signal)) ?? {};
  const body = { config, description: WHOLE };
  const path = pathAt(site, onlyPlaceOf(ref));
  await insist(() => site.client.run('PUT', path, { project, body, signal }), signal);
}

const TRIES = 3;

/** Has `make` create the volume, unless it is there as a whole. */
async function ensureStored(
  site: Site,
  ref: Ref,
  make: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const { api_extensions } = await site.readServer(signal);
  if (!api_extensions.includes(ISO_EXTENSION)) throw new CapabilityMissing('isoDrive', NO_ISOS);
  await ensureProject(site, ref.account);
  for (let left = TRIES; ; left--) {
    let found = await findIso(site, ref, signal);
    if (found !== null && !isWhole(found) && (await outwaitVolumes(site, ref, signal)))
      found = await findIso(site, ref, signal);
    if (found !== null && isWhole(found)) return;
    if (found !== null) await destroy(site, ref, signal);
    try {
      await make();
      return await mark(site, ref, signal);
    } catch (error) {
      if (left === 0 || !isTaken(error)) throw error;
    }
  }
}

export async function ensureIso(
  site: Site,
  ...[ref, file, signal]: Parameters<ComputeEngine['ensureIso']>
): Promise<void> {
  const headers = {
    'content-type': 'application/octet-stream',
    'x-incus-name': nameOf(ref.id),
    'x-incus-type': 'iso',
  };
  const ask = { project: projectOf(ref), file, headers, signal };
  await ensureStored(site, ref, () => site.client.run('POST', volumesPath(site), ask), signal);
}

/** The id of the copy that an account has of an ISO of the provider. */
const COPY = 'public_';
const isCopy = (id: string): boolean => id.startsWith(COPY);

/** The volume that a machine of the account has in its drive. */
const storedOf = (account: string, iso: string): Ref => ({
  account,
  id: iso.startsWith('iso_') ? iso : `${COPY}${iso}`,
});

/** btrfs counts its own records against the size of a volume, so a copy of the size of its ISO would be refused. */
const RECORDS_BYTES = 64 * 1024 ** 2;

/** The engine takes over the size of the original, but refuses a copy without a size in a project with bounds. */
async function sizeOfCopy(site: Site, slug: string, signal?: AbortSignal): Promise<string> {
  const { client, settings } = site;
  const path = `${volumesPath(site)}/${encodeURIComponent(slug)}`;
  const { config } = await client.ask<RawVolume>('GET', path, { project: DEFAULT, signal });
  const pool = `/1.0/storage-pools/${settings.storagePool}`;
  const { driver } = await client.ask<{ readonly driver: string }>('GET', pool, { signal });
  return String(bytesOf(config['size']) + (driver === 'btrfs' ? RECORDS_BYTES : 0));
}

/** Copies an ISO of the provider, which is in the default project under its slug. */
export async function ensureCopy(site: Site, account: string, slug: string, signal?: AbortSignal) {
  const ref = storedOf(account, slug);
  const source = { type: 'copy', name: slug, pool: site.settings.storagePool, project: DEFAULT };
  const copy = async (): Promise<void> => {
    const config = { size: await sizeOfCopy(site, slug, signal) };
    const body = { name: nameOf(ref.id), type: 'custom', content_type: 'iso', config, source };
    await site.client.run('POST', volumesPath(site), { project: projectOf(ref), body, signal });
  };
  try {
    await ensureStored(site, ref, copy, signal);
  } catch (error) {
    throw isMissing(error) ? missing('ISO', slug) : error;
  }
}

/** Removes the copy if no machine has it. The next machine that needs it copies it again. */
export async function dropCopy(site: Site, account: string, iso: string | undefined, signal?: AbortSignal) {
  if (iso === undefined || iso.startsWith('iso_')) return;
  const ref = storedOf(account, iso);
  const raw = await findIso(site, ref, signal);
  if (raw !== null && holderOf(raw) === null) await destroy(site, ref, signal);
}

export async function observeIso(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['observeIso']>
): Promise<Iso | null> {
  const raw = await findIso(site, ref, signal);
  return raw === null || !isWhole(raw) ? null : { ...ref, sizeBytes: bytesOf(raw.config['size']) };
}

export async function observeIsos(
  site: Site,
  ...[signal]: Parameters<ComputeEngine['observeIsos']>
): Promise<readonly Iso[]> {
  const found = (await listVolumes(site, signal)).filter((raw) => raw.content_type === 'iso' && isWhole(raw));
  return found
    .map(({ project = '', name, config }) => ({
      account: idOf(project),
      id: idOf(name),
      sizeBytes: bytesOf(config['size']),
    }))
    .filter(({ id }) => !isCopy(id));
}

export async function removeIso(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['removeIso']>
): Promise<void> {
  const raw = await findIso(site, ref, signal);
  const holder = raw && holderOf(raw);
  if (holder !== null)
    throw new EngineRefused('resource_in_use', `The ISO is in the drive of the machine ${holder}.`);
  if (raw === null) return;
  await outwaitVolumes(site, ref, signal);
  await destroy(site, ref, signal);
}

export function driveOf({ devices, config }: Pick<RawInstance, 'devices' | 'config'>): Drive | null {
  const source = devices[DRIVE]?.['source'];
  if (source === undefined) return null;
  const id = idOf(source);
  return { iso: isCopy(id) ? id.slice(COPY.length) : id, bootOnce: config[keys.bootOnce] === 'wanted' };
}

type Changed = Pick<RawInstance, 'devices' | 'config'>;

/** The devices and settings of a machine with this drive. */
export function withDrive({ devices, config }: Changed, drive: Drive | null, pool: string): Changed {
  const { [DRIVE]: _, ...others } = devices;
  const { [keys.bootOnce]: __, ...rest } = config;
  if (drive === null) return { devices: others, config: rest };
  const device = {
    type: 'disk',
    pool,
    source: nameOf(storedOf('', drive.iso).id),
    ...(drive.bootOnce ? FIRST : {}),
  };
  return {
    devices: { ...others, [DRIVE]: device },
    config: drive.bootOnce ? { ...rest, [keys.bootOnce]: 'wanted' } : rest,
  };
}

export async function ensureDrive(
  site: Site,
  ...[ref, drive, signal]: Parameters<ComputeEngine['ensureDrive']>
): Promise<void> {
  const reason = capabilitiesOf(site.settings, await site.readServer(signal)).isoDrive;
  if (reason !== true && drive !== null) throw new CapabilityMissing('isoDrive', reason);
  if (drive !== null && !drive.iso.startsWith('iso_')) await ensureCopy(site, ref.account, drive.iso, signal);
  else if (drive !== null && (await observeIso(site, { ...ref, id: drive.iso }, signal)) === null)
    throw missing('ISO', drive.iso);
  let before: string | undefined;
  await changeInstance(
    site,
    ref,
    (raw) => {
      const present = driveOf(raw);
      before = present?.iso;
      const isSame = present?.iso === drive?.iso && present?.bootOnce === drive?.bootOnce;
      return isSame ? null : withDrive(raw, drive, site.settings.storagePool);
    },
    signal,
  );
  if (before !== drive?.iso) await dropCopy(site, ref.account, before, signal);
}

/** The settings for the next start; null if they are right. The first start after the request boots the ISO. */
export function beforeStart(raw: Changed, pool: string): Changed | null {
  const state = raw.config[keys.bootOnce];
  const drive = driveOf(raw);
  if (state === undefined || drive === null) return null;
  if (state === 'wanted') return { ...raw, config: { ...raw.config, [keys.bootOnce]: 'used' } };
  return withDrive(raw, { ...drive, bootOnce: false }, pool);
}

/** Only virtual machines have a drive, so containers are spared the request. */
export async function prepareDrive(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  if (site.settings.instanceType !== 'virtual-machine') return;
  await changeInstance(
    site,
    ref,
    (raw) => (raw.status === 'Running' ? null : beforeStart(raw, site.settings.storagePool)),
    signal,
  );
}
