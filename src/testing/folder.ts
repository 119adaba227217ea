/**
 * Temporary folders of tests. Their names carry the id of the process that made them, so that what a killed
 * run left behind, a running PostgreSQL or engine included, is found and removed by the next one.
 */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPidFile, stop } from '../store/embedded/postmaster.ts';
import { removeLeftoverNamespaces } from './incus/namespace.ts';

const PREFIX = 'hostplane-test-';

/** May be passed, but not listed, by the unprivileged user that PostgreSQL runs as when root runs the tests. */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  await chmod(folder, 0o711);
  return folder;
}

export async function removeTemporaryFolder(folder: string): Promise<void> {
  for (const cluster of await findClusters(folder)) {
    const postmaster = await readPidFile(cluster);
    if (postmaster) await stop(postmaster.pid, cluster);
  }
  await rm(folder, { recursive: true, force: true });
}

export async function removeLeftovers(): Promise<void> {
  removeLeftoverNamespaces();
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) {
      // Another run may be removing the same one, and folders of other users are theirs to remove.
      await removeTemporaryFolder(join(tmpdir(), name)).catch(() => undefined);
    }
  }
}

async function findClusters(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some((entry) => entry.name === 'PG_VERSION')) return [folder];
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => findClusters(join(folder, entry.name)));
  return (await Promise.all(below)).flat();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
