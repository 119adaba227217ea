import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer as readBytes } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarEnd, tarHeader, tarPadding } from '../../../kernel/tar.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { refusal } from '../../contract/refusal.ts';
import type { Ref } from '../instance.ts';
import type { Site } from './driver-context.ts';
import { ensureImage, exportImage, observeImage, type RawImage, removeImage } from './images.ts';
import { aliasOf, DEFAULT, projectOf } from './names.ts';
import { listSnapshots } from './snapshots.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(() => removeTemporaryFolder(folder));

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describeEngines((bench) => {
  const stored = () =>
    bench.harness.daemon.client.ask<readonly RawImage[]>('GET', '/1.0/images', { query: { recursion: 1 } });
  const makesImages = async (project: string) => {
    const ask = { project, query: { recursion: 1 } };
    const { running = [] } = await bench.harness.daemon.client.ask<{ running?: { description: string }[] }>(
      'GET',
      '/1.0/operations',
      ask,
    );
    return running.some(({ description }) => /image/i.test(description));
  };
  const isPacking = (ref: Ref) => makesImages(projectOf(ref));
  const isStoring = () => makesImages(DEFAULT);
  const terseMetadata = (): Buffer[] => {
    const name = bench.harness.architecture === 'arm64' ? 'aarch64' : 'x86_64';
    const metadata = Buffer.from(`architecture: ${name}\ncreation_date: 1\n`);
    return [tarHeader('metadata.yaml', metadata.length), metadata, tarPadding(metadata.length)];
  };
  const sourceOf = (file: string) => {
    const { architecture } = bench.harness;
    return { file, format: bench.harness.engine.imageFormats[0], architecture, bootMode: 'uefi' as const };
  };

  it('an image that two accounts have is stored once, until both have removed it', async () => {
    const { engine } = bench.harness;
    const file = join(folder, 'same');
    await bench.harness.writeImage(file);
    const before = (await stored()).length;
    const mine = bench.lab.ref('img');
    const theirs = { ...mine, account: 'acc_other' };
    await engine.ensureImage(mine, sourceOf(file));
    await engine.ensureImage(theirs, sourceOf(file));
    expect((await engine.observeImage(mine))?.sha256).toBe((await engine.observeImage(theirs))?.sha256);
    await engine.removeImage(mine);
    expect(await engine.observeImage(mine)).toBeNull();
    expect(await engine.observeImage(theirs)).toMatchObject({ ...theirs, state: 'available' });
    await engine.removeImage(theirs);
    expect((await stored()).length).toBe(before);
  });

  it('a machine from an unknown image of the provider is refused with the name of the image', async () => {
    const source = { image: { account: null, id: 'none-12' } };
    await expect(
      bench.harness.engine.ensureInstance(bench.lab.ref(), bench.lab.spec({ source })),
    ).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no image none-12.',
    });
  });

  type Run = Site['client']['run'];
  /** Stores an image through a client whose `run` is this one. */
  const storeThrough = (run: Run, ref: Ref, file: string): Promise<void> => {
    const { site } = bench.harness.engine;
    const client = new Proxy(site.client, {
      get: (target, name) => {
        const member: unknown = name === 'run' ? run : Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    return ensureImage({ ...site, client }, ref, sourceOf(file));
  };

  it('an image that disappears while it is stored can be stored again', async () => {
    const { engine } = bench.harness;
    const file = join(folder, 'taken-back');
    await bench.harness.writeImage(file);
    const ref = bench.lab.ref('img');
    const { client } = engine.site;
    const run: Run = async (method, path, ask) => {
      if (method === 'PUT') await client.run('DELETE', path);
      return client.run(method, path, ask);
    };
    await expect(storeThrough(run, ref, file)).rejects.toMatchObject({ name: 'EngineUnreachable' });
    await engine.ensureImage(ref, sourceOf(file));
    expect(await engine.observeImage(ref)).toMatchObject({ state: 'available' });
    await engine.removeImage(ref);
  });

  it.each(['before it has an owner', 'before it has a name'])(
    'an uploaded image whose worker was killed %s is removed',
    async (moment) => {
      const { engine } = bench.harness;
      const file = join(folder, 'half-done');
      await bench.harness.writeImage(file);
      const ref = bench.lab.ref('img');
      const before = (await stored()).length;
      const run: Run = async (method, path, ask) => {
        const isDeadly = moment === 'before it has an owner' ? method === 'PUT' : path.endsWith('/aliases');
        if (isDeadly) throw new Error('killed');
        return engine.site.client.run(method, path, ask);
      };
      await expect(storeThrough(run, ref, file)).rejects.toThrow('killed');
      await engine.removeImage(bench.lab.ref('img'));
      await engine.removeImage({ ...ref, account: 'acc_other' });
      expect((await stored()).length).toBe(before + 1);
      await engine.removeImage(ref);
      expect((await stored()).length).toBe(before);
    },
  );

  it('an image that the engine still stores after its worker was killed is removed', async () => {
    const { engine } = bench.harness;
    const file = join(folder, 'slow');
    // The engine unpacks the image until it has found the root file system.
    const zeros = Buffer.alloc(16 * 1024 * 1024);
    const long = Array.from({ length: 16 }, (_, i) => [tarHeader(`zeros-${i}`, zeros.length), zeros]).flat();
    const parts = [...terseMetadata(), ...long, tarHeader('rootfs/etc/hostname', 0), tarEnd];
    await pipeline(Readable.from(parts), createGzip({ level: 1 }), createWriteStream(file));
    const ref = bench.lab.ref('img');
    const before = (await stored()).length;
    const run: Run = async (method, path, ask) => {
      await engine.site.client.ask(method, path, ask);
      throw new Error('killed');
    };
    await expect(storeThrough(run, ref, file)).rejects.toThrow('killed');
    await engine.removeImage(ref);
    await expect.poll(() => isStoring()).toBe(false);
    expect((await stored()).length).toBe(before);
  });

  it('an image that was made before a crash gets its alias, and is not made again', async () => {
    const { engine } = bench.harness;
    const vm = await bench.lab.stopped();
    const ref = bench.lab.ref('img');
    await engine.ensureImage(ref, { instance: vm.id });
    const made = await engine.observeImage(ref);
    const alias = encodeURIComponent(aliasOf(ref));
    await bench.harness.daemon.client.run('DELETE', `/1.0/images/aliases/${alias}`);
    expect(await engine.observeImage(ref)).toBeNull();
    await engine.ensureImage(ref, { instance: vm.id });
    expect(await engine.observeImage(ref)).toEqual(made);
    await bench.harness.daemon.client.run('DELETE', `/1.0/images/aliases/${alias}`);
    await engine.removeImage(ref);
    expect((await stored()).filter(({ fingerprint }) => fingerprint === made?.sha256)).toEqual([]);
  });

  it('an image whose capture was interrupted leaves nothing, and can be captured again', async () => {
    const { engine, daemon } = bench.harness;
    const vm = await bench.lab.running();
    await bench.harness.writeInside(vm, '/root/much', randomBytes(24 * 1024 * 1024).toString('base64'));
    const ref = bench.lab.ref('img');
    const cut = engine.ensureImage(ref, { instance: vm.id }).catch((error: unknown) => error);
    await expect.poll(() => isPacking(vm)).toBe(true);
    await daemon.kill();
    expect(await cut).toMatchObject({ name: 'EngineUnreachable' });
    await daemon.start();
    expect(await engine.observeImage(ref)).toBeNull();
    expect((await bench.lab.seen(vm)).snapshots).toEqual([]);
    await engine.ensureImage(ref, { instance: vm.id });
    expect(await engine.observeImage(ref)).toMatchObject({ state: 'available' });
    expect(await listSnapshots(engine.site, vm)).toEqual([]);
  });

  it('an image without properties is accepted, and so is an image of a machine made from it', async () => {
    const { engine } = bench.harness;
    const file = join(folder, 'terse');
    await writeFile(file, Buffer.concat([...terseMetadata(), tarHeader('rootfs/etc/hostname', 0), tarEnd]));
    const [ref, again] = [bench.lab.ref('img'), bench.lab.ref('img')];
    await engine.ensureImage(ref, sourceOf(file));
    const vm = await bench.lab.stopped({ source: { image: ref } });
    await engine.ensureImage(again, { instance: vm.id });
    expect(await engine.observeImage(again)).toMatchObject({ minDiskGb: bench.harness.size.diskGb });
  });

  it('a file of another image type is refused, and nothing is stored', async () => {
    const { engine } = bench.harness;
    const file = join(folder, 'other');
    const metadata = Buffer.from('architecture: x86_64\ncreation_date: 1\n');
    const disk = [tarHeader('rootfs.img', 0), tarEnd];
    const head = [tarHeader('metadata.yaml', metadata.length), metadata, tarPadding(metadata.length)];
    await writeFile(file, Buffer.concat([...head, ...disk]));
    const before = (await stored()).length;
    expect(await refusal(engine.ensureImage(bench.lab.ref('img'), sourceOf(file)))).toBe('engine_failed');
    const qcow2 = { ...sourceOf(file), format: 'qcow2' as const };
    expect(await refusal(engine.ensureImage(bench.lab.ref('img'), qcow2))).toBe('unsupported_format');
    expect((await stored()).length).toBe(before);
  });

  it('a disk of a virtual machine is stored and exported with the same bytes', async () => {
    const site: Site = {
      ...bench.harness.engine.site,
      settings: { ...bench.harness.engine.site.settings, instanceType: 'virtual-machine' },
    };
    const bytes = randomBytes(70_000);
    bytes.write('QFI\xfb', 'latin1');
    bytes.writeBigUInt64BE(5n * 1024n ** 3n, 24);
    const file = join(folder, 'disk.qcow2');
    await writeFile(file, bytes);
    const ref = bench.lab.ref('img');
    const source = { ...sourceOf(file), format: 'qcow2' as const };
    await ensureImage(site, ref, source);
    const seen = await observeImage(site, ref);
    expect(seen).toMatchObject({ sizeBytes: bytes.length, sha256: sha256(bytes), minDiskGb: 5 });
    expect(sha256(await readBytes(await exportImage(site, ref)))).toBe(sha256(bytes));
    await writeFile(file, 'no disk at all');
    expect(await refusal(ensureImage(site, bench.lab.ref('img'), source))).toBe('engine_failed');
    await removeImage(site, ref);
  });
});
