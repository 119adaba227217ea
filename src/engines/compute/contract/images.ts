import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as readBytes } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import { EngineRefused } from '../../errors.ts';
import type { Lab, Use } from './lab.ts';

const sourceOf = ({ engine, harness }: Lab, file: string) => ({
  file,
  format: engine.imageFormats[0],
  architecture: harness.architecture,
  bootMode: 'uefi' as const,
});

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}

export function describeImages(use: Use): void {
  const { lab } = use;

  describe('images', () => {
    it('of the provider are available, but not as images of an account', async () => {
      const { engine, harness } = lab();
      expect(await engine.observeImage(harness.image)).toMatchObject({
        ...harness.image,
        state: 'available',
      });
      expect(await engine.observeImage({ ...harness.image, account: 'acc_1' })).toBeNull();
    });

    it('are captured once from a running machine, and can be used after it is removed', async () => {
      const { engine, harness } = lab();
      const vm = await lab().running();
      await harness.writeInside(vm, '/root/note', 'captured');
      const ref = lab().ref('img');
      await engine.ensureImage(ref, { instance: vm.id });
      await harness.writeInside(vm, '/root/note', 'later');
      await engine.ensureImage(ref, { instance: vm.id });
      expect(await engine.observeImage(ref)).toMatchObject({ ...ref, state: 'available' });
      expect((await lab().seen(vm)).state).toBe('running');
      await engine.removeInstance(vm);
      const made = await lab().running({ source: { image: ref } });
      expect(await harness.readInside(made, '/root/note')).toBe('captured');
      expect((await lab().seen(made)).image).toEqual(ref);
      await engine.removeImage(ref);
      await engine.removeImage(ref);
      expect(await engine.observeImage(ref)).toBeNull();
      expect(await harness.readInside(made, '/root/note')).toBe('captured');
    });

    it('are captured from a snapshot', async () => {
      const { engine, harness } = lab();
      const vm = await lab().running();
      await harness.writeInside(vm, '/root/note', 'then');
      await engine.ensureSnapshot(vm, { id: 'snap_1', quiesce: false });
      await harness.writeInside(vm, '/root/note', 'now');
      const ref = lab().ref('img');
      await engine.ensureImage(ref, { instance: vm.id, snapshot: 'snap_1' });
      const made = await lab().running({ source: { image: ref } });
      expect(await harness.readInside(made, '/root/note')).toBe('then');
      const none = { instance: vm.id, snapshot: 'snap_none' };
      expect(await refusal(engine.ensureImage(lab().ref('img'), none))).toBe('not_found');
    });

    it('are refused for a machine whose disk is too small for them', async () => {
      const { engine, harness } = lab();
      const vm = await lab().stopped();
      const ref = lab().ref('img');
      await engine.ensureImage(ref, { instance: vm.id });
      const size = { ...harness.size, diskGb: harness.size.diskGb - 1 };
      const spec = lab().spec({ source: { image: ref }, size });
      expect(await refusal(engine.ensureInstance(lab().ref(), spec))).toBe('engine_failed');
    });

    itIfCapable(
      use,
      'imageImport',
      'are imported from a file, if its content has the declared format',
      async () => {
        const { engine, harness } = lab();
        const folder = await mkdtemp(join(tmpdir(), 'hostplane-image-'));
        const file = join(folder, 'image');
        const { minDiskGb } = await harness.writeImage(file);
        const bytes = await readFile(file);
        const source = sourceOf(lab(), file);
        const ref = lab().ref('img');
        await engine.ensureImage(ref, source);
        await engine.ensureImage(ref, source);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect(await engine.observeImage(ref)).toMatchObject({ sizeBytes: bytes.length, sha256, minDiskGb });
        expect((await lab().seen(await lab().stopped({ source: { image: ref } }))).image).toEqual(ref);
        await writeFile(file, 'something else altogether');
        const other = lab().ref('img');
        expect(await refusal(engine.ensureImage(other, source))).toBe('engine_failed');
        expect(await engine.observeImage(other)).toBeNull();
        await rm(folder, { recursive: true });
      },
    );

    itIfCapable(
      use,
      'imageImport',
      'are exported to a file or as a stream, and can be imported elsewhere',
      async () => {
        const { engine, harness } = lab();
        const vm = await lab().running();
        await harness.writeInside(vm, '/root/note', 'carried');
        const ref = lab().ref('img');
        await engine.ensureImage(ref, { instance: vm.id });
        const folder = await mkdtemp(join(tmpdir(), 'hostplane-image-'));
        const file = join(folder, 'image');
        const bytes = await readBytes(await engine.exportImage(ref));
        expect((await readBytes(await engine.exportImage(ref))).equals(bytes)).toBe(true);
        await writeFile(file, bytes);
        const minDiskGb = (await engine.observeImage(ref))?.minDiskGb;
        await engine.removeImage(ref);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const content = { sizeBytes: bytes.length, sha256, read: () => chunksOf(bytes) };
        const { file: _, ...given } = sourceOf(lab(), file);
        for (const source of [sourceOf(lab(), file), { ...given, content }]) {
          const copy = lab().ref('img');
          await engine.ensureImage(copy, source);
          expect(await engine.observeImage(copy)).toMatchObject({ state: 'available', minDiskGb });
          const made = await lab().running({ source: { image: copy } });
          expect(await harness.readInside(made, '/root/note')).toBe('carried');
          await engine.removeImage(copy);
        }
        expect(await refusal(engine.exportImage({ ...ref, id: 'img_none' }))).toBe('not_found');
        await rm(folder, { recursive: true });
      },
    );

    itIfCapable(use, 'imageImport', 'are not created from damaged content', async () => {
      const { engine } = lab();
      const vm = await lab().stopped();
      const ref = lab().ref('img');
      await engine.ensureImage(ref, { instance: vm.id });
      const bytes = await readBytes(await engine.exportImage(ref));
      await engine.removeImage(ref);
      async function* damaged(): AsyncGenerator<Buffer> {
        yield bytes.subarray(0, bytes.length - 1);
        throw new EngineRefused('checksum_mismatch', 'damaged');
      }
      const { file: _, ...given } = sourceOf(lab(), '');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const content = { sizeBytes: bytes.length, sha256, read: damaged };
      const copy = lab().ref('img');
      expect(await refusal(engine.ensureImage(copy, { ...given, content }))).toBe('checksum_mismatch');
      expect(await engine.observeImage(copy)).toBeNull();
      expect(await engine.observeImage(ref)).toBeNull();
    });
  });
}
