/**
 * Temporary folders for image files that are being imported or copied. They are created in the data folder if it
 * exists, otherwise in the temporary folder of the system.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../../../kernel/services.ts';

const PREFIX = 'hostplane-image-';
/** Longer than any import may take, so an older folder belongs to a process that crashed. */
const ABANDONED_MS = 6 * 3600 * 1000;

async function roomFor({ provider }: Pick<Services, 'provider'>): Promise<string> {
  const { folder } = provider.database;
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? folder : tmpdir();
}

/** Calls `use` with a new folder and removes the folder afterwards, also when `use` throws. */
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

/** Removes folders that crashed processes left behind. */
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
