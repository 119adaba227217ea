/** Room on this machine's disk for files on their way: beside the data if there is a folder for it, else where the system keeps such things. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../../../kernel/services.ts';

const PREFIX = 'hostplane-image-';
/** Longer than any import may take. */
const ABANDONED_MS = 6 * 3600 * 1000;

async function roomFor({ provider }: Pick<Services, 'provider'>): Promise<string> {
  const { folder } = provider.database;
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? folder : tmpdir();
}

/** A folder of its own, gone afterwards however it ends. */
export async function withScratch<T>(
  services: Pick<Services, 'provider'>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(await roomFor(services), PREFIX));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What processes left that died on the way. */
export async function sweepScratch(services: Pick<Services, 'provider'>, now = Date.now()): Promise<void> {
  const room = await roomFor(services);
  for (const name of await readdir(room)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(room, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    );
    if (age > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
