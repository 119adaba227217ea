/** Stores objects as files in a folder of the provider, for example a network file system. */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Bandwidth } from './bandwidth.ts';
import { storeAway, storeFull } from './faults.ts';
import type { ObjectStore, StoredObject } from './port.ts';

/**
 * Files that are still being written. A killed process leaves them behind. The next `put` of the same object removes
 * them, and so does `removeAll`.
 */
const UNFINISHED = '.unfinished-';

const unfinishedAt = (file: string, place: number): string =>
  join(dirname(file), `${UNFINISHED}${basename(file)}-${place}`);

interface Unfinished {
  readonly handle: FileHandle;
  readonly place: number;
}

/** Takes the first name that is free, because a worker that lost its lease may still write the same object. */
async function openUnfinished(file: string, place = 0): Promise<Unfinished> {
  try {
    return { handle: await open(unfinishedAt(file, place), 'wx', 0o600), place };
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return openUnfinished(file, place + 1);
  }
}

/** The object is stored, so nothing of other attempts is needed. */
async function removeOthers(file: string, own: number): Promise<void> {
  for (let place = 0; place < own; place++) await rm(unfinishedAt(file, place), { force: true });
  for (let place = own + 1; ; place++) {
    try {
      await rm(unfinishedAt(file, place));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

/** Faults other than a full folder pass, such as a network file system that is away. */
function faultOf(error: unknown): unknown {
  const code = codeOf(error);
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return storeFull();
  if (code === '' || code === 'ABORT_ERR') return error;
  return storeAway(error);
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Without this, a power failure could undo the creation or the renaming of an entry of the folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Returns false if another writer stored the same object meanwhile and removed what was written here. */
async function finish(file: string, place: number): Promise<boolean> {
  try {
    await rename(unfinishedAt(file, place), file);
    return true;
  } catch (error) {
    const isThere = await stat(file).then(
      () => true,
      () => false,
    );
    if (isMissing(error) && isThere) return false;
    throw error;
  }
}

interface FolderOptions {
  readonly location: string;
  readonly folder: string;
  readonly megabytesPerSecond: number | null;
}

export class FolderStore implements ObjectStore {
  readonly driver = 'folder';
  readonly location: string;
  readonly capabilities = {};
  readonly #folder: string;
  readonly downloads: Bandwidth;
  readonly #bandwidth: Bandwidth;

  constructor({ location, folder, megabytesPerSecond }: FolderOptions) {
    this.location = location;
    this.#folder = folder;
    this.#bandwidth = new Bandwidth(megabytesPerSecond);
    this.downloads = new Bandwidth(megabytesPerSecond);
  }

  /** Written beside its place and renamed, so that no reader finds half an object. */
  async put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    const file = join(this.#folder, key);
    await guarded(async () => {
      const first = await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      if (first !== undefined)
        for (let made = dirname(file); made.length >= first.length; made = dirname(made))
          await syncFolder(dirname(made));
      const { handle, place } = await openUnfinished(file);
      try {
        try {
          for await (const slice of this.#bandwidth.pace(bytes, signal)) {
            signal?.throwIfAborted();
            await handle.writeFile(slice);
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        if (!(await finish(file, place))) return;
        await removeOthers(file, place);
        await syncFolder(dirname(file));
      } catch (error) {
        await rm(unfinishedAt(file, place), { force: true });
        throw error;
      }
    });
  }

  get(key: string, signal?: AbortSignal): Promise<Buffer | null> {
    return guarded(() =>
      readFile(join(this.#folder, key), signal === undefined ? {} : { signal }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      }),
    );
  }

  list(prefix: string): Promise<readonly StoredObject[]> {
    return guarded(async () => {
      const root = join(this.#folder, prefix);
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
        (error: unknown) => {
          if (isMissing(error)) return [];
          throw error;
        },
      );
      const found: StoredObject[] = [];
      for (const entry of entries.filter((each) => each.isFile() && !each.name.startsWith(UNFINISHED))) {
        const path = join(entry.parentPath, entry.name);
        found.push({ key: path.slice(this.#folder.length + 1), sizeBytes: (await stat(path)).size });
      }
      return found.sort((a, b) => (a.key < b.key ? -1 : 1));
    });
  }

  async removeAll(prefix: string): Promise<void> {
    await guarded(() => rm(join(this.#folder, prefix), { recursive: true, force: true }));
  }

  async close(): Promise<void> {}
}
