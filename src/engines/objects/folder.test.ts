import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineUnreachable } from '../errors.ts';
import { examineObjects } from './doctor.ts';
import { FolderStore } from './folder.ts';

let folder: string;
let store: FolderStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostplane-objects-'));
  store = new FolderStore({ location: 'fra1', folder, megabytesPerSecond: null });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a store in a folder', () => {
  it('returns what was put last', async () => {
    await store.put('a/b/1', Buffer.from('old'));
    await store.put('a/b/1', Buffer.from('new'));
    expect((await store.get('a/b/1'))?.toString()).toBe('new');
    expect(await store.list('a/')).toEqual([{ key: 'a/b/1', sizeBytes: 3 }]);
  });

  it('has nothing under keys that were never put', async () => {
    expect(await store.get('a/1')).toBeNull();
    expect(await store.list('a/')).toEqual([]);
    await store.removeAll('a/');
  });

  it('removes all objects of a prefix and what a killed process left, and no others', async () => {
    await store.put('a/1', Buffer.from('1'));
    await store.put('ab/1', Buffer.from('1'));
    await writeFile(join(folder, 'a/.unfinished-0'), 'half');
    expect(await store.list('a/')).toEqual([{ key: 'a/1', sizeBytes: 1 }]);
    await store.removeAll('a/');
    expect(await readdir(folder)).toEqual(['ab']);
  });

  it('leaves nothing of a put that was aborted', async () => {
    const aborted = AbortSignal.abort();
    await expect(store.put('a/1', Buffer.from('1'), aborted)).rejects.toThrow();
    expect(await readdir(join(folder, 'a'))).toEqual([]);
  });

  it('is unreachable, not refused, while the folder cannot be used', async () => {
    await writeFile(join(folder, 'file'), '');
    const away = new FolderStore({
      location: 'fra1',
      folder: join(folder, 'file'),
      megabytesPerSecond: null,
    });
    await expect(away.put('a/1', Buffer.from('1'))).rejects.toThrow(EngineUnreachable);
  });

  it('is examined by the doctor, who leaves nothing', async () => {
    const backups = { driver: 'folder', folder, megabytes_per_second: null } as const;
    const examine = (given: string) =>
      examineObjects({ slug: 'fra1', backups: { ...backups, folder: given } } as never, {} as never);
    expect((await examine(folder))[0]).not.toHaveProperty('fix');
    expect(await readdir(folder)).toEqual([]);
    await writeFile(join(folder, 'file'), '');
    expect((await examine(join(folder, 'file')))[0]).toHaveProperty('fix');
  });
});
