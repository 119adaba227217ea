/**
 * Writes a file that only its owner can read, as a whole or not at all: the text goes to a second file, which then takes
 * the place of the first. A program that is killed leaves at most such a second file, which the next write removes.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const DRAFT_AGE_MS = 60_000;

export async function writePrivately(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeDrafts(path);
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** Without this, the new name could be lost in a power failure. Some systems cannot do it for folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Removes what killed programs left behind; a young file may belong to a program that is still writing. */
async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.draft')) continue;
    const draft = join(folder, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > DRAFT_AGE_MS) await unlink(draft).catch(() => undefined);
  }
}
