import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { canEnter, isRoot } from './account.ts';
import { makePrivateFolder, settle } from './data-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
});

afterEach(() => removeTemporaryFolder(folder));

describe('the place of an embedded database', () => {
  it('is inside the data folder', async () => {
    const data = join(folder, 'new', 'data');
    const { home, cluster, socketFolder } = await settle(data);
    expect([home, cluster, socketFolder]).toEqual([
      join(data, 'postgres'),
      join(data, 'postgres', 'cluster'),
      join(data, 'postgres', 'socket'),
    ]);
    for (const made of [data, home]) expect((await stat(made)).mode & 0o067, made).toBe(0);
  });

  it('keeps every socket path within what the system allows', async () => {
    for (let length = 40; length < 110; length += 7) {
      const { socketFolder } = await settle(join(folder, 'x'.repeat(length)));
      expect(Buffer.byteLength(join(socketFolder, '.s.PGSQL.65535'))).toBeLessThanOrEqual(103);
    }
  });

  it('refuses a socket folder that others may enter', async () => {
    const open = await mkdtemp(join(tmpdir(), 'hostplane-open-'));
    await chmod(open, 0o755);
    await expect(makePrivateFolder(open, undefined)).rejects.toThrow(/mode 0700/);
    await rm(open, { recursive: true });
  });

  it.skipIf(!isRoot())(
    'can be read by the group of the database only, if root creates it (needs root)',
    async () => {
      const data = join(folder, 'data');
      const { home, account } = await settle(data);
      for (const made of [data, home]) {
        expect(await stat(made)).toMatchObject({ uid: 0, gid: account?.gid, mode: 0o40710 });
        expect(canEnter(account, made)).toBe(true);
        expect(canEnter({ name: 'another', uid: 4711, gid: 4711 }, made)).toBe(false);
      }
    },
  );

  describe.skipIf(!isRoot())(
    'when root keeps the data where the database cannot reach it (needs root)',
    () => {
      let closed: string;
      let far: string;

      beforeEach(async () => {
        closed = join(folder, 'home');
        far = join(folder, 'far');
        await mkdir(closed, { mode: 0o700 });
      });

      it('is elsewhere, and the data folder says where', async () => {
        const data = join(closed, 'data');
        const place = await settle(data, far);
        expect(place.home.startsWith(`${far}/`)).toBe(true);
        expect(await readFile(join(data, 'postgres.location'), 'utf8')).toBe(`${place.home}\n`);
        expect(await readFile(join(place.home, 'data-folder'), 'utf8')).toBe(`${data}\n`);
        expect(await readdir(data)).toEqual(['postgres.location']);
        expect((await stat(closed)).mode & 0o777).toBe(0o700);
        expect((await settle(data, far)).home).toBe(place.home);
      });

      it('is the same for two processes that start at the same time', async () => {
        const places = await Promise.all([
          settle(join(closed, 'data'), far),
          settle(join(closed, 'data'), far),
        ]);
        expect(new Set(places.map(({ home }) => home)).size).toBe(1);
        expect(await readdir(far)).toHaveLength(1);
      });

      it('is not created again when the named folder is missing', async () => {
        const { home } = await settle(join(closed, 'data'), far);
        await rm(home, { recursive: true });
        await expect(settle(join(closed, 'data'), far)).rejects.toThrow(
          /postgres\.location says .* does not exist/,
        );
      });

      it('is not replaced by a new one when the cluster became unreachable', async () => {
        const data = join(folder, 'data');
        const { cluster, account } = await settle(data, far);
        await makePrivateFolder(cluster, account);
        await chmod(data, 0o700);
        await expect(settle(data, far)).rejects.toThrow(/cannot enter/);
        expect((await stat(cluster)).isDirectory()).toBe(true);
      });
    },
  );
});
