/**
 * Temporary folders for files that are being imported or copied. Each folder has a file that says how many bytes it may
 * take and for which account, so that all processes that use the disk count the same. The file is touched while the
 * folder is in use; a folder whose file is old was left behind by a process that was killed.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../../kernel/services.ts';
import { importFolderOf } from '../../../provider/imports.ts';
import { type Held, judge, NoRoom } from './scratch-room.ts';

const PREFIX = 'hostplane-image-';
const RESERVED = 'reserved.json';
const TOUCH_MS = 60_000;
const ABANDONED_MS = 10 * TOUCH_MS;
const BLOCK_BYTES = 512;

type Needs = Pick<Services, 'provider' | 'metrics' | 'log'>;

export interface Scratch {
  readonly folder: string;
  /** Throws `NoRoom` unless the folder may take so many bytes in total. Called before they are written. */
  reserve(bytes: number): Promise<void>;
}

/** The folders of this process, which are in use however old their files are: the machine may have been asleep. */
const own = new Set<string>();

/** A folder or a file may be removed by its process at any moment. */
const unlessGone = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

async function usedIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder).catch(unlessGone)) ?? [])
    bytes += ((await stat(join(folder, name)).catch(unlessGone))?.blocks ?? 0) * BLOCK_BYTES;
  return bytes;
}

async function isAbandoned(folder: string, now: number): Promise<boolean> {
  if (own.has(folder)) return false;
  const touched = await stat(join(folder, RESERVED)).catch(() => stat(folder).catch(unlessGone));
  return touched !== null && now - touched.mtimeMs > ABANDONED_MS;
}

async function heldIn(folder: string): Promise<Held> {
  const text = await readFile(join(folder, RESERVED), 'utf8').catch(() => '');
  const usedBytes = await usedIn(folder);
  try {
    const { account, bytes } = JSON.parse(text) as Pick<Held, 'account' | 'bytes'>;
    return { account, bytes, usedBytes };
  } catch {
    // Its process is writing the file at this moment.
    return { account: '', bytes: usedBytes, usedBytes };
  }
}

/** Removes folders that killed processes left behind, and returns the others. */
async function livingIn(room: string, now: number): Promise<string[]> {
  const living: string[] = [];
  for (const name of await readdir(room)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(room, name);
    if (await isAbandoned(folder, now)) await rm(folder, { recursive: true, force: true });
    else living.push(folder);
  }
  return living;
}

async function openImportFolder({ provider }: Pick<Services, 'provider'>): Promise<string> {
  const room = importFolderOf(provider);
  await mkdir(room, { recursive: true });
  return room;
}

/** Writes the reservation first and counts then, so that of two processes at least one sees the other. */
async function reserve(
  { provider, metrics, log }: Needs,
  folder: string,
  { account, bytes, before }: { readonly account: string; readonly bytes: number; readonly before: number },
): Promise<void> {
  const room = await openImportFolder({ provider });
  const write = (amount: number) =>
    writeFile(join(folder, RESERVED), JSON.stringify({ account, bytes: amount }));
  await write(bytes);
  const held: Held[] = [];
  for (const each of await livingIn(room, Date.now())) held.push(await heldIn(each));
  const { bavail, blocks, bsize } = await statfs(room);
  const disk = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  const refusal = judge(provider.imports, disk, held, { account, bytes });
  if (refusal === null) return;
  await write(before);
  metrics.alarms.inc({ alarm: 'import_disk_full' });
  log.warn({ account_id: account, bytes, ...disk, folder: room }, 'an import has no room on the disk');
  throw refusal;
}

const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');

/** Calls `use` with a new folder and removes the folder afterwards, also when `use` throws. */
export async function withScratch<T>(
  services: Needs,
  account: string,
  use: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(await openImportFolder(services), PREFIX));
  own.add(folder);
  const touch = (): void => {
    const now = new Date();
    void utimes(join(folder, RESERVED), now, now).catch(() => undefined);
  };
  const touching = setInterval(touch, TOUCH_MS);
  let before = 0;
  try {
    return await use({
      folder,
      async reserve(bytes) {
        await reserve(services, folder, { account, bytes, before });
        before = bytes;
      },
    });
  } catch (error) {
    if (!isFull(error)) throw error;
    services.metrics.alarms.inc({ alarm: 'import_disk_full' });
    services.log.warn({ err: error, account_id: account, folder }, 'the disk became full during an import');
    throw new NoRoom(false, { cause: error });
  } finally {
    clearInterval(touching);
    await rm(folder, { recursive: true, force: true });
    own.delete(folder);
  }
}

export async function sweepScratch(services: Pick<Services, 'provider'>, now = Date.now()): Promise<void> {
  await livingIn(await openImportFolder(services), now);
}
