/** Checks of the machine: Node version, data folder and limit of open files. */
import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { importFolderOf } from '../../../provider/imports.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { type Finding, failed, ok, reasonOf, skipped } from './check.ts';

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNewEnough) return ok('Node', version);
  return failed(
    'Node',
    `${version} is too old.`,
    `Install Node ${OLDEST_NODE.join('.')} or newer; 24 is best.`,
  );
}

/** The folder, or its nearest parent that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

const LEAST_FREE_MB = 512;

/** `folder` is null if the data is in a separate database server. */
export async function checkDataFolder(folder: string | null): Promise<Finding> {
  const name = 'Data folder';
  if (folder === null) return skipped(name, 'the database is a separate server');
  const near = await nearestFolder(folder);
  try {
    await access(near, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(near);
    const freeMb = Math.floor((bavail * bsize) / 1_048_576);
    const made = near === folder ? '' : ' (created at the first start)';
    if (freeMb >= LEAST_FREE_MB) return ok(name, `${folder}${made}, ${freeMb} MB free`);
    return failed(
      name,
      `${folder} has ${freeMb} MB left.`,
      `Free at least ${LEAST_FREE_MB} MB, or move it with HOSTPLANE_DATA.`,
    );
  } catch (error) {
    const fix = `Let this user write to ${near}, or choose another folder with HOSTPLANE_DATA.`;
    return failed(name, `${folder} cannot be written to (${reasonOf(error)}).`, fix);
  }
}

const GB = 1_073_741_824;

/** Imports of customers need room on the disk beside what is kept free for the database. */
export async function checkImports(config: Pick<ProviderConfig, 'imports' | 'database'>): Promise<Finding> {
  const name = 'Imports';
  const { keep_free_percent: keptPercent, account_share_percent: sharePercent } = config.imports;
  const folder = importFolderOf(config);
  try {
    const { bavail, blocks, bsize } = await statfs(await nearestFolder(folder));
    const gb = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`;
    const room = bavail * bsize - (blocks * bsize * keptPercent) / 100;
    const kept = `${keptPercent} % of the disk are kept free`;
    if (room > 0)
      return ok(name, `room for ${gb(room)} in ${folder}, ${sharePercent} % of it for one account; ${kept}`);
    return failed(
      name,
      `No room in ${folder}: ${kept}, and ${gb(bavail * bsize)} are free. Imports wait.`,
      'Make room on this disk, or name a folder on another disk in imports.folder.',
    );
  } catch (error) {
    const fix = 'Set imports.folder to a folder that this user can use.';
    return failed(name, `${folder} cannot be used (${reasonOf(error)}).`, fix);
  }
}

const FEWEST_FILES = 4096;

/** A child process inherits this limit, and every shell can print it. */
function readOpenFiles(): string {
  return spawnSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** Every client connection uses one open file, so the limit bounds the number of clients. */
export function checkOpenFiles(limit: string = readOpenFiles()): Finding {
  const name = 'Open files';
  if (limit === 'unlimited' || Number(limit) >= FEWEST_FILES) return ok(name, `${limit} at once`);
  if (!/^\d+$/.test(limit)) return skipped(name, 'this system does not report the limit');
  const fix = `Raise it to ${FEWEST_FILES} or more: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit.`;
  return failed(name, `Only ${limit} at once, which limits the number of clients.`, fix);
}
