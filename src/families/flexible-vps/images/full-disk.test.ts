/** Imports on a real small disk, which other files fill as well. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { tinyIso } from '../../../testing/iso-server.ts';
import { settle } from '../../../testing/operations.ts';
import { createReceiver, type Receiver, receiverCertificate } from '../../../testing/receiver.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { sweepScratch, withScratch } from '../imports/scratch.ts';
import { NoRoom } from '../imports/scratch-room.ts';
import type { Iso } from '../isos/schema.ts';

const MIB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const title = 'a disk of 8 MiB, of which imports leave a quarter free and accounts may have half of the rest';

describe.skipIf(!isRoot)(isRoot ? title : `${title}: only root can mount a small disk`, () => {
  let app: TestApp;
  let receiver: Receiver;
  let folder: string;
  let disk: string;
  let file: Buffer;

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    disk = join(folder, 'disk');
    await mkdir(disk);
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', disk]);
    expect(status, String(stderr)).toBe(0);
    receiver = await createReceiver();
    receiver.answer((response) => void response.writeHead(200, { 'content-length': file.length }).end(file));
    app = await createTestApp({
      works: false,
      provider: (config) => ({
        ...config,
        egress: { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate, addresses: [] },
        imports: { folder: disk, keep_free_percent: 25, account_share_percent: 50 },
      }),
    });
  });
  afterEach(async () => {
    for (const name of await readdir(disk)) await rm(join(disk, name), { recursive: true });
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
    spawnSync('umount', ['--lazy', disk]);
    await removeTemporaryFolder(folder);
  });

  const isoOf = (bytes: number): Buffer => Buffer.concat([tinyIso(), Buffer.alloc(bytes)]);
  async function ask(account: VpsAccount): Promise<Iso> {
    const url = `https://localhost:${receiver.port}/a.iso`;
    const answer = await account.send('POST', 'isos', { name: 'installer', url });
    expect(answer.statusCode, answer.body).toBe(202);
    return answer.json<Iso>();
  }
  const read = async (account: VpsAccount, { id }: Iso): Promise<Iso> =>
    (await account.send('GET', `isos/${id}`)).json<Iso>();

  it('makes an import without room wait while smaller ones pass, and continues it when there is room', async () => {
    const [large, small] = [await VpsAccount.open(app), await VpsAccount.open(app)];
    const filler = Buffer.alloc(5 * MIB, 7);
    await writeFile(join(disk, 'other'), filler);
    file = isoOf(2 * MIB);
    const waiting = await ask(large);
    await settle(app);
    expect(await read(large, waiting)).toMatchObject({
      status: 'downloading',
      operation: { status: 'running', waiting_for: 'disk' },
    });
    expect(await readdir(disk)).toEqual(['other']);
    file = tinyIso();
    const passing = await ask(small);
    await settle(app);
    expect(await read(small, passing)).toMatchObject({ status: 'available' });
    expect((await readFile(join(disk, 'other'))).equals(filler)).toBe(true);
    await rm(join(disk, 'other'));
    file = isoOf(2 * MIB);
    await wakeOperations(app.services.db, waiting.operation?.id ?? '');
    await settle(app);
    expect(await read(large, waiting)).toMatchObject({ status: 'available', size_bytes: file.length });
    expect(await readdir(disk)).toEqual([]);
  });

  it('refuses a file that is larger than the share of an account', async () => {
    const account = await VpsAccount.open(app);
    file = isoOf(4 * MIB);
    const iso = await ask(account);
    await settle(app);
    expect(await read(account, iso)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'capacity_unavailable',
        detail: expect.stringContaining('Use a smaller file, or ask your provider for more room.'),
      },
    });
    expect(await readdir(disk)).toEqual([]);
  });

  it('refuses further imports of an account while one waits for room, and says which to wait for or to cancel', async () => {
    const [account, other] = [await VpsAccount.open(app), await VpsAccount.open(app)];
    await writeFile(join(disk, 'other'), Buffer.alloc(5 * MIB, 7));
    file = isoOf(2 * MIB);
    const waiting = await ask(account);
    await settle(app);
    const url = `https://localhost:${receiver.port}/b.img`;
    const image = { name: 'b', source: { type: 'url', url, architecture: 'amd64' } };
    const refusals = [
      await account.send('POST', 'isos', { name: 'second', url }),
      await account.send('POST', 'isos?dry_run=true', { name: 'second', url }),
      await account.send('POST', 'images', image),
    ];
    for (const refused of refusals) {
      expect(refused.json()).toMatchObject({
        code: 'capacity_unavailable',
        retryable: true,
        next_step: expect.stringContaining(waiting.operation?.id ?? 'the operation'),
      });
      expect(refused.headers['retry-after']).toBe('60');
    }
    expect((await account.send('GET', 'isos?kind=private')).json<{ data: Iso[] }>().data).toHaveLength(1);
    file = tinyIso();
    const passing = await ask(other);
    await settle(app);
    expect(await read(other, passing)).toMatchObject({ status: 'available' });
    const cancel = `/account/v1/operations/${waiting.operation?.id}/cancel`;
    await app.call({ method: 'POST', url: cancel, payload: {}, key: account.key });
    await settle(app);
    const again = await account.send('POST', 'isos', { name: 'second', url });
    expect(again.statusCode, again.body).toBe(202);
    await settle(app);
    expect(await read(account, again.json<Iso>())).toMatchObject({ status: 'available' });
  });

  it('gives one account no more than its share, and leaves room for others', async () => {
    await withScratch(app.services, 'a', async (first) => {
      await first.reserve(2 * MIB);
      const second = withScratch(app.services, 'a', ({ reserve }) => reserve(2 * MIB));
      await expect(second).rejects.toThrow(NoRoom);
      await withScratch(app.services, 'b', async (other) => {
        await other.reserve(2 * MIB);
        // What is written counts once, not also as taken from the free space.
        await writeFile(join(other.folder, 'file'), Buffer.alloc(2 * MIB));
        await withScratch(app.services, 'c', ({ reserve }) => reserve(1.5 * MIB));
        await expect(withScratch(app.services, 'c', ({ reserve }) => reserve(2.5 * MIB))).rejects.toThrow(
          NoRoom,
        );
      });
    });
    expect(await readdir(disk)).toEqual([]);
  });

  it('makes an import fail cleanly if other files fill the disk during it', async () => {
    const failing = withScratch(app.services, 'a', async ({ folder: scratch, reserve }) => {
      await reserve(2 * MIB);
      const { bavail, bsize } = await statfs(disk);
      await writeFile(join(disk, 'other'), Buffer.alloc(bavail * bsize));
      await writeFile(join(scratch, 'file'), Buffer.alloc(2 * MIB));
    });
    await expect(failing).rejects.toMatchObject({ name: 'NoRoom', neverFits: false });
    expect(await readdir(disk)).toEqual(['other']);
  });

  it('is cleaned of files of killed workers, but not of files in use', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    for (const [name, age] of [
      ['hostplane-image-old', 11],
      ['hostplane-image-new', 9],
    ] as const) {
      await mkdir(join(disk, name));
      await writeFile(join(disk, name, 'reserved.json'), JSON.stringify({ account: 'a', bytes: MIB }));
      await utimes(join(disk, name, 'reserved.json'), minutesAgo(age), minutesAgo(age));
    }
    await withScratch(app.services, 'a', async ({ reserve, folder: scratch }) => {
      await reserve(MIB);
      await utimes(join(scratch, 'reserved.json'), minutesAgo(60), minutesAgo(60));
      await sweepScratch(app.services);
      expect((await readdir(disk)).length).toBe(2);
    });
    expect(await readdir(disk)).toEqual(['hostplane-image-new']);
  });
});
