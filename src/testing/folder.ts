/**
 * Temporary folders of tests. The name of a folder contains the id of the process that created it, so that the next
 * run finds and removes everything that a killed run left behind, including a running PostgreSQL or engine.
 */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPidFile, stop } from '../store/embedded/postmaster.ts';
import { removeLeftoverNamespaces } from './incus/namespace.ts';
import { MEMORY } from './memory-folder.ts';

const PREFIX = 'hostplane-test-';

/** The path of a new folder, without the characters that `mkdtemp` adds. */
export const newFolderPath = (): string => join(tmpdir(), `${PREFIX}${process.pid}-`);

/** Mode 711: if root runs the tests, PostgreSQL's unprivileged user can open paths in the folder but cannot list it. */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(newFolderPath());
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
  // Only the run itself knows which of them it used.
  for (const place of new Set([tmpdir(), MEMORY])) await removeLeftoversIn(place);
}

async function removeLeftoversIn(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) {
      // Ignores errors: another run may be removing the same folder, or the folder belongs to another user.
      await removeTemporaryFolder(join(place, name)).catch(() => undefined);
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
