import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderStore } from '../../testing/app.ts';
import { EngineUnreachable } from '../errors.ts';
import { describeObjectStore } from './contract.ts';
import { examineObjects } from './doctor.ts';
import { FolderStore } from './folder.ts';

const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'hostplane-objects-'));
const storeIn = (folder: string) => new FolderStore({ location: 'fra1', folder, megabytesPerSecond: null });

describeObjectStore('a store in a folder', async () => {
  const folder = await makeFolder();
  return {
    engine: storeIn(folder),
    reopen: async () => storeIn(folder),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('a folder as an object store', () => {
  let folder: string;
  let store: FolderStore;

  beforeEach(async () => {
    folder = await makeFolder();
    store = storeIn(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('does not list files that a killed process left, and removes them with their prefix', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a/.unfinished-0'), 'half');
    expect(await store.list('a/')).toEqual([]);
    await store.removeAll('a/');
    expect(await readdir(folder)).toEqual([]);
  });

  it('contains no file of a killed writer after the object was written again', async () => {
    const slow = new FolderStore({ location: 'fra1', folder, megabytesPerSecond: 1 });
    const writing = slow.put('a/1', Buffer.alloc(300_000));
    const hidden = async () =>
      (await readdir(join(folder, 'a')).catch(() => [])).filter((name) => name !== '1');
    await expect.poll(hidden).toHaveLength(1);
    const [left = ''] = await hidden();
    await writing;
    // As a process leaves it that is killed at this moment.
    await writeFile(join(folder, 'a', left), 'half');
    await store.put('a/1', Buffer.from('whole'));
    expect(await readdir(join(folder, 'a'))).toEqual(['1']);
    expect((await store.get('a/1'))?.toString()).toBe('whole');
  });

  it('is written no faster than the configured bandwidth', async () => {
    const slow = new FolderStore({ location: 'fra1', folder, megabytesPerSecond: 1 });
    const before = performance.now();
    await slow.put('a/1', Buffer.alloc(300_000));
    // The last of five slices waits for the four before it: 262,144 bytes at 1 MB/s.
    expect(performance.now() - before).toBeGreaterThan(250);
  });

  it('is reported as unreachable, not as refused, while it cannot be used', async () => {
    await writeFile(join(folder, 'file'), '');
    const away = storeIn(join(folder, 'file'));
    await expect(away.put('a/1', Buffer.from('1'))).rejects.toThrow(EngineUnreachable);
  });

  it('is checked by the doctor, which leaves no files', async () => {
    const examine = (given: string) => examineObjects(folderStore(given), { slug: 'fra1' });
    expect((await examine(folder))[0]).not.toHaveProperty('fix');
    expect(await readdir(folder)).toEqual([]);
    await writeFile(join(folder, 'file'), '');
    expect((await examine(join(folder, 'file')))[0]).toHaveProperty('fix');
  });
});
