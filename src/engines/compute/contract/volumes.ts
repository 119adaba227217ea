import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import type { Ref, Volume } from '../port.ts';
import type { Use } from './lab.ts';

export function describeVolumes(use: Use): void {
  const { lab } = use;
  const seen = async (ref: Ref): Promise<Volume> => {
    const volume = await lab().engine.observeVolume(ref);
    if (volume === null) throw new Error(`The engine does not know ${ref.id}.`);
    return volume;
  };
  const attach = (volume: Ref, { id }: Ref): Promise<void> =>
    lab().engine.ensureVolumeAttached(volume, { instance: id, mayMove: true });
  const detach = (volume: Ref, { id: instance }: Ref, force = false): Promise<void> =>
    lab().engine.ensureVolumeDetached(volume, { instance, force });
  const write = async (volume: Ref, machine: Ref, text: string): Promise<void> =>
    lab().harness.writeVolume(machine, await seen(volume), text);
  const read = async (volume: Ref, machine: Ref): Promise<string | null> =>
    lab().harness.readVolume(machine, await seen(volume));

  describe('a volume', () => {
    it('is created once, listed and removed', async () => {
      const { engine } = lab();
      const ref = await lab().volume({ sizeGb: 1 });
      await engine.ensureVolume(ref, lab().volumeSpec({ sizeGb: 7 }));
      const { path, kind, serial } = await seen(ref);
      const fresh = { sizeGb: 1, instance: null, snapshots: [] };
      expect(await seen(ref)).toEqual({ ...ref, kind, path, serial, ...fresh });
      expect(serial === null).toBe(kind === 'filesystem');
      expect(path).toMatch(/^\/[!-~]+$/);
      expect(engine.capabilities[kind === 'block' ? 'blockVolumes' : 'fileSystemVolumes']).toBe(true);
      const listed = (await engine.observeVolumes()).filter(({ account }) => account === lab().account);
      expect(listed).toEqual([await seen(ref)]);
      await engine.removeVolume(ref);
      await engine.removeVolume(ref);
      expect(await engine.observeVolume(ref)).toBeNull();
    });

    it('is refused if the location does not offer its kind', async () => {
      const { engine } = lab();
      for (const kind of ['block', 'filesystem'] as const) {
        if (engine.capabilities[kind === 'block' ? 'blockVolumes' : 'fileSystemVolumes'] === true) continue;
        const work = engine.ensureVolume(lab().ref('vol'), lab().volumeSpec({ kind }));
        expect(await refusal(work)).toBe('capability_missing');
      }
    });

    it('keeps its data when it is detached and attached to another machine', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      const one = await lab().running();
      await attach(volume, one);
      await attach(volume, one);
      expect((await seen(volume)).instance).toBe(one.id);
      expect(await engine.observeVolumes()).toContainEqual(await seen(volume));
      await write(volume, one, 'precious');
      await detach(volume, one);
      await detach(volume, one);
      expect((await seen(volume)).instance).toBeNull();
      expect(await read(volume, one)).toBeNull();
      const two = await lab().stopped();
      await attach(volume, two);
      await engine.ensureRunning(two);
      expect(await read(volume, two)).toBe('precious');
    });

    it('is attached to at most one machine, which must exist', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      const [one, two] = [await lab().stopped(), await lab().stopped()];
      expect(await refusal(attach(volume, { ...one, id: 'vm_none' }))).toBe('not_found');
      await attach(volume, one);
      expect(await refusal(attach(volume, two))).toBe('already_attached');
      expect(await refusal(engine.removeVolume(volume))).toBe('resource_in_use');
      await detach(volume, two);
      expect((await seen(volume)).instance).toBe(one.id);
      await detach(volume, one, true);
      await attach(volume, two);
      expect((await seen(volume)).instance).toBe(two.id);
      expect(await refusal(attach({ ...volume, id: 'vol_none' }, two))).toBe('not_found');
      await detach({ ...volume, id: 'vol_none' }, two);
    });

    it('still exists after its machine is removed', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      const one = await lab().running();
      await attach(volume, one);
      await write(volume, one, 'kept');
      await engine.removeInstance(one);
      expect((await seen(volume)).instance).toBeNull();
      const two = await lab().running();
      await attach(volume, two);
      expect(await read(volume, two)).toBe('kept');
    });

    it('stays attached through a restart, a rebuild and a restored snapshot, and is not copied with the machine', async () => {
      const { engine, harness } = lab();
      const volume = await lab().volume();
      const ref = await lab().running();
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await attach(volume, ref);
      await write(volume, ref, 'kept');
      await engine.restart(ref, { once: lab().token() });
      expect(await read(volume, ref)).toBe('kept');
      await engine.ensureStopped(ref);
      await engine.ensureRestored(ref, { once: lab().token(), snapshot: 'snap_1' });
      await engine.ensureRunning(ref);
      expect(await read(volume, ref)).toBe('kept');
      const copy = await lab().stopped({ source: { instance: ref.id } });
      expect((await seen(volume)).instance).toBe(ref.id);
      await engine.removeInstance(copy);
      await engine.ensureStopped(ref);
      await engine.removeSnapshot(ref, 'snap_1');
      const to = { once: lab().token(), image: harness.image, guest: lab().guest() };
      await engine.ensureRebuilt(ref, to);
      await engine.ensureRunning(ref);
      expect(await read(volume, ref)).toBe('kept');
    });

    it('can be removed although a snapshot of its former machine exists', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      const ref = await lab().stopped();
      await attach(volume, ref);
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await detach(volume, ref);
      await engine.removeVolume(volume);
      await engine.ensureRestored(ref, { once: lab().token(), snapshot: 'snap_1' });
      await engine.ensureRunning(ref);
      const copy = await lab().stopped({ source: { instance: ref.id, snapshot: 'snap_1' } });
      await engine.ensureRunning(copy);
    });

    it('can grow but not shrink', async () => {
      const { engine } = lab();
      const volume = await lab().volume({ sizeGb: 1 });
      await engine.ensureVolumeSize(volume, 2);
      await engine.ensureVolumeSize(volume, 2);
      expect((await seen(volume)).sizeGb).toBe(2);
      expect(await refusal(engine.ensureVolumeSize(volume, 1))).toBe('engine_failed');
      expect(await refusal(engine.ensureVolumeSize({ ...volume, id: 'vol_none' }, 2))).toBe('not_found');
    });

    itIfCapable(use, 'onlineVolumeResize', 'grows while its machine runs', async () => {
      const volume = await lab().volume({ sizeGb: 1 });
      const ref = await lab().running();
      await attach(volume, ref);
      await write(volume, ref, 'kept');
      await lab().engine.ensureVolumeSize(volume, 3);
      expect((await seen(volume)).sizeGb).toBe(3);
      expect(await read(volume, ref)).toBe('kept');
    });
  });

  describe('volume snapshots', () => {
    it('are taken once each, listed in order and removed, also with the volume', async () => {
      const { engine } = lab();
      const volume = await lab().volume({ sizeGb: 1 });
      const ref = await lab().running();
      await engine.ensureVolumeSnapshot(volume, 'vsnap_b');
      await attach(volume, ref);
      for (const id of ['vsnap_a', 'vsnap_b']) await engine.ensureVolumeSnapshot(volume, id);
      const { snapshots } = await seen(volume);
      expect(snapshots).toMatchObject([
        { id: 'vsnap_b', consistency: 'filesystem', diskGb: 1 },
        { id: 'vsnap_a', consistency: 'crash', diskGb: 1 },
      ]);
      for (const { sizeBytes } of snapshots) expect(sizeBytes).toBeLessThanOrEqual(1024 ** 3);
      expect(await engine.observeVolumes()).toContainEqual(await seen(volume));
      await engine.removeVolumeSnapshot(volume, 'vsnap_b');
      await engine.removeVolumeSnapshot(volume, 'vsnap_b');
      await engine.removeVolumeSnapshot({ ...volume, id: 'vol_none' }, 'vsnap_b');
      expect((await seen(volume)).snapshots.map(({ id }) => id)).toEqual(['vsnap_a']);
      await detach(volume, ref);
      await engine.removeVolume(volume);
      expect(await engine.observeVolume(volume)).toBeNull();
    });

    it('restore the data once for each operation, while the volume is detached or its machine is stopped', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      const ref = await lab().running();
      await attach(volume, ref);
      await write(volume, ref, 'before');
      await engine.ensureVolumeSnapshot(volume, 'vsnap_1');
      await write(volume, ref, 'after');
      const to = { once: lab().token(), snapshot: 'vsnap_1' };
      expect(await refusal(engine.ensureVolumeRestored(volume, to))).toBe('invalid_state');
      await engine.ensureStopped(ref);
      await engine.ensureVolumeRestored(volume, to);
      await engine.ensureRunning(ref);
      expect(await read(volume, ref)).toBe('before');
      await write(volume, ref, 'later');
      await detach(volume, ref);
      await engine.ensureVolumeRestored(volume, to);
      await attach(volume, ref);
      expect(await read(volume, ref)).toBe('later');
    });

    it('can be restored only if they are the newest', async () => {
      const { engine } = lab();
      const volume = await lab().volume();
      for (const id of ['vsnap_1', 'vsnap_2']) await engine.ensureVolumeSnapshot(volume, id);
      const restore = (snapshot: string) =>
        engine.ensureVolumeRestored(volume, { once: lab().token(), snapshot });
      expect(await refusal(restore('vsnap_1'))).toBe('invalid_state');
      expect(await refusal(restore('vsnap_none'))).toBe('not_found');
      await engine.removeVolumeSnapshot(volume, 'vsnap_2');
      await restore('vsnap_1');
    });

    it('can be the source of a new volume of at least the same size', async () => {
      const { engine } = lab();
      const volume = await lab().volume({ sizeGb: 2 });
      const ref = await lab().running();
      await attach(volume, ref);
      await write(volume, ref, 'then');
      await engine.ensureVolumeSnapshot(volume, 'vsnap_1');
      await write(volume, ref, 'now');
      const source = { volume: volume.id, snapshot: 'vsnap_1' };
      const small = engine.ensureVolume(lab().ref('vol'), lab().volumeSpec({ source, sizeGb: 1 }));
      expect(await refusal(small)).toBe('engine_failed');
      const copy = await lab().volume({ source, sizeGb: 3 });
      expect(await seen(copy)).toMatchObject({ sizeGb: 3, instance: null, snapshots: [] });
      await detach(volume, ref);
      await engine.removeVolume(volume);
      await attach(copy, ref);
      expect(await read(copy, ref)).toBe('then');
      const gone = engine.ensureVolume(lab().ref('vol'), lab().volumeSpec({ source, sizeGb: 3 }));
      expect(await refusal(gone)).toBe('not_found');
    });
  });
}
