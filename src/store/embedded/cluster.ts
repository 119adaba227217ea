/**
 * Creates the cluster once. `initdb` writes it under another name and it is renamed at the end, so neither a
 * crash nor a second process starting at the same moment leaves half a cluster behind.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runAs } from './account.ts';
import { makePrivateFolder, type Place } from './data-folder.ts';
import { EmbeddedFault, errorCode, isTaken } from './fault.ts';

export const SUPERUSER = 'hostplane';

export async function ensureCluster(place: Place, bin: string): Promise<void> {
  const missing = await access(place.cluster).then(
    () => false,
    () => true,
  );
  if (!missing) return;
  await removeLeftovers(place);
  const draft = `${place.cluster}.new-${process.pid}-${randomBytes(3).toString('hex')}`;
  await makePrivateFolder(draft, place.account);
  await runInitdb(place, bin, draft);
  try {
    await rename(draft, place.cluster);
    // Without this sync a power loss could undo the rename, and with it everything written since.
    const parent = await open(place.home, 'r');
    await parent.sync().finally(() => parent.close());
  } catch (error) {
    if (!isTaken(error)) throw error;
    await rm(draft, { recursive: true });
  }
}

async function removeLeftovers(place: Place): Promise<void> {
  for (const name of await readdir(place.home)) {
    const pid = /^cluster\.new-(\d+)-/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) await rm(join(place.home, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function runInitdb(place: Place, bin: string, draft: string): Promise<void> {
  const args = ['--pgdata', draft, '--username', SUPERUSER, '--encoding=UTF8', '--locale=C'];
  const child = spawn(join(bin, 'initdb'), [...args, '--auth-local=trust', '--auth-host=reject'], {
    ...runAs(place.account),
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new EmbeddedFault(
            `The database could not be created in ${place.home}. Output of initdb:\n${output}`,
          ),
        );
    });
  });
}
