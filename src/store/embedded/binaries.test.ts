import { chmod, cp, lstat, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { isRoot } from './account.ts';
import { findNative, prepareBinaries } from './binaries.ts';
import { type Place, settle } from './data-folder.ts';

let folder: string;
let place: Place;
let native: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  place = await settle(join(folder, 'data'));
  const copy = join(folder, 'package');
  await cp(dirname(findNative()), copy, { recursive: true, verbatimSymlinks: true });
  native = join(copy, 'native');
});

afterEach(async () => {
  await chmod(join(native, 'lib'), 0o755);
  await removeTemporaryFolder(folder);
});

async function removeLinks(): Promise<string[]> {
  const list: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  const links = list.map(({ target }) => join(dirname(native), target));
  for (const link of links) await rm(link);
  return links;
}

/** Root may write anywhere, so for root the package folder is closed to the database's user instead. */
async function closePackage(): Promise<void> {
  if (!isRoot()) return chmod(join(native, 'lib'), 0o500);
  for (const path of [dirname(native), native, join(native, 'bin')]) await chmod(path, 0o700);
}

describe('the PostgreSQL binaries', () => {
  it('are run in place', async () => {
    expect(await prepareBinaries(place, native)).toBe(join(native, 'bin'));
  });

  it('get the symbolic links that an install without scripts leaves out', async () => {
    const links = await removeLinks();
    expect(links.length).toBeGreaterThan(0);
    expect(await prepareBinaries(place, native)).toBe(join(native, 'bin'));
    for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it('are copied beside the cluster when they cannot be reached or repaired', async () => {
    const links = await removeLinks();
    await closePackage();
    const bin = await prepareBinaries(place, native);
    expect(bin.startsWith(join(place.home, 'binaries'))).toBe(true);
    const linked = links.map((link) => join(bin, '..', 'lib', link.slice(join(native, 'lib').length)));
    for (const link of linked) expect((await stat(link)).isFile()).toBe(true);
    expect(await prepareBinaries(place, native)).toBe(bin);
  });

  it('are copied once by two concurrent starts, and again when the copy is broken', async () => {
    await removeLinks();
    await closePackage();
    const copies = await Promise.all([1, 2].map(() => prepareBinaries(place, native)));
    const [bin = ''] = copies;
    expect(copies).toEqual([bin, bin]);
    await rm(join(bin, 'postgres'));
    expect(await prepareBinaries(place, native)).toBe(bin);
    expect(await readdir(join(place.home, 'binaries'))).toHaveLength(1);
  });

  it('are requested again when they do not run', async () => {
    await rm(join(native, 'bin', 'postgres'));
    await mkdir(join(native, 'bin', 'postgres'));
    await expect(prepareBinaries(place, native)).rejects.toThrow(/does not run.*npm install/s);
  });
});
