/** What real engines do with volumes beyond the contract of the port. */
import { describe, expect, it } from 'vitest';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { refusal } from '../../contract/refusal.ts';
import type { Ref } from '../instance.ts';
import { projectOf } from './names.ts';
import { pathAt } from './raw-volume.ts';
import { onlyPlaceOf } from './volume-context.ts';

describeEngines((bench) => {
  const mountOf = async (volume: Ref): Promise<string> =>
    (await bench.harness.engine.observeVolume(volume))?.path ?? '';

  /** Runs a command in the machine. Returns whether it succeeded. */
  async function succeeds(machine: Ref, command: string): Promise<boolean> {
    await bench.harness.execInside(machine, [
      'sh',
      '-c',
      `(${command}) && echo yes > /said || echo no > /said`,
    ]);
    return (await bench.harness.readInside(machine, '/said'))?.trim() === 'yes';
  }

  describe('the size of a volume', () => {
    it('is enforced, and the volume can grow while the machine runs', async () => {
      const { lab, harness } = bench;
      const volume = await lab.volume({ sizeGb: 1 });
      const machine = await lab.running();
      await harness.engine.ensureVolumeAttached(volume, { instance: machine.id, mayMove: true });
      const fill = `fallocate -l 1500000000 ${await mountOf(volume)}/large && sync`;
      expect(await succeeds(machine, fill)).toBe(false);
      await harness.engine.ensureVolumeSize(volume, 2);
      expect(await succeeds(machine, fill)).toBe(true);
    });

    it('is enforced after a restore, and in a volume made from a snapshot', async () => {
      const { lab, harness } = bench;
      const { engine } = harness;
      const volume = await lab.volume({ sizeGb: 1 });
      await engine.ensureVolumeSnapshot(volume, 'vsnap_1');
      const source = { volume: volume.id, snapshot: 'vsnap_1' };
      await engine.ensureVolumeSize(volume, 2);
      await engine.ensureVolumeRestored(volume, { once: lab.token(), snapshot: 'vsnap_1' });
      const machine = await lab.running();
      for (const each of [volume, await lab.volume({ source, sizeGb: 2 })]) {
        expect(await engine.observeVolume(each)).toMatchObject({ sizeGb: 2 });
        await engine.ensureVolumeAttached(each, { instance: machine.id, mayMove: true });
        const mount = await mountOf(each);
        const takes = (bytes: number) => succeeds(machine, `fallocate -l ${bytes} ${mount}/large && sync`);
        expect(await takes(1_500_000_000)).toBe(true);
        expect(await takes(2_500_000_000)).toBe(false);
      }
    });

    it('counts against the capacity of the location', async () => {
      const { lab, harness } = bench;
      const [before] = await harness.engine.readCapacity();
      const volume = await lab.volume({ sizeGb: 5 });
      const [during] = await harness.engine.readCapacity();
      expect((before?.free.diskGb ?? 0) - (during?.free.diskGb ?? 0)).toBe(5);
      const huge = harness.engine.ensureVolume(lab.ref('vol'), lab.volumeSpec({ sizeGb: 100_000 }));
      expect(await refusal(huge)).toBe('capacity_unavailable');
      await harness.engine.removeVolume(volume);
      expect(await harness.engine.readCapacity()).toEqual([before]);
    });
  });

  describe('a volume whose creation was interrupted', () => {
    it('is not observed, and the next attempt creates it again', async () => {
      const { lab, harness } = bench;
      const volume = await lab.volume();
      const { client } = harness.daemon;
      const path = pathAt(harness.engine.site, onlyPlaceOf(volume));
      const project = projectOf(volume);
      const { config } = await client.ask<{ config: Record<string, string> }>('GET', path, { project });
      const { 'user.hostplane.volume': _, ...unmarked } = config;
      await client.run('PUT', path, { project, body: { config: unmarked, description: '' } });
      expect(await harness.engine.observeVolume(volume)).toBeNull();
      await harness.engine.ensureVolume(volume, lab.volumeSpec());
      expect(await harness.engine.observeVolume(volume)).not.toBeNull();
    });
  });

  describe('a snapshot that an administrator took at the engine', () => {
    it('is listed and does not keep the volume from being observed', async () => {
      const { lab, harness } = bench;
      const volume = await lab.volume();
      const path = `${pathAt(harness.engine.site, onlyPlaceOf(volume))}/snapshots`;
      const body = { name: 'by-hand' };
      await harness.daemon.client.run('POST', path, { project: projectOf(volume), body });
      await harness.engine.ensureVolumeSnapshot(volume, 'vsnap_ours');
      const seen = await harness.engine.observeVolume(volume);
      expect(seen?.snapshots.map(({ id }) => id)).toEqual(['by-hand', 'vsnap_ours']);
      expect((await harness.engine.observeVolumes()).map(({ id }) => id)).toContain(volume.id);
    });
  });

  describe('a volume that a process of the guest uses', () => {
    it('is not detached unless it is forced', async () => {
      const { lab, harness } = bench;
      const volume = await lab.volume();
      const machine = await lab.running();
      await harness.engine.ensureVolumeAttached(volume, { instance: machine.id, mayMove: true });
      const mount = await mountOf(volume);
      await harness.execInside(machine, ['sh', '-c', `sleep 600 > ${mount}/open & echo $! > /pid`]);
      const detach = (force: boolean) =>
        harness.engine.ensureVolumeDetached(volume, { instance: machine.id, force });
      expect(await refusal(detach(false))).toBe('guest_refused_detach');
      expect(await harness.engine.observeVolume(volume)).toMatchObject({ instance: machine.id });
      await detach(true);
      expect(await harness.engine.observeVolume(volume)).toMatchObject({ instance: null });
    });
  });
});
