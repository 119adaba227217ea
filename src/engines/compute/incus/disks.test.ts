import { expect, it } from 'vitest';
import { describeEngines } from '../../../testing/incus/engines.ts';
import type { Ref } from '../instance.ts';
import { findRaw, pathOf, requireRaw } from './driver-context.ts';
import { projectOf } from './names.ts';
import { keep } from './saved-machine.ts';
import { listSnapshots, takeTemporary } from './snapshots.ts';

const NOTE = '/root/note';

describeEngines(
  (bench, kind) => {
    const profiles = async (ref: Ref) =>
      (
        await bench.harness.daemon.client.ask<string[]>('GET', '/1.0/profiles', { project: projectOf(ref) })
      ).filter((path) => path.includes('kept-'));

    /**
     * A stopped machine with a snapshot from when it ran, and with a size, interface and guest data that changed
     * since.
     */
    async function changedSince(): Promise<Ref> {
      const { engine } = bench.harness;
      const ref = await bench.lab.running({ nics: [bench.lab.nic()] });
      await bench.harness.writeInside(ref, NOTE, 'then');
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await bench.harness.writeInside(ref, NOTE, 'now');
      await engine.ensureStopped(ref);
      await engine.ensureNic(ref, bench.lab.nic({ index: 1 }));
      await engine.ensureSize(ref, {
        ...bench.harness.size,
        diskGb: bench.harness.size.diskGb + 1,
        vcpus: 2,
      });
      await engine.ensureGuest(ref, bench.lab.guest({ hostname: 'changed-1' }));
      return ref;
    }

    it('a restore brings back the disk of a snapshot, and changes nothing else of the machine', async () => {
      const { engine } = bench.harness;
      const ref = await changedSince();
      const before = await bench.lab.seen(ref);
      const once = bench.lab.token();
      await engine.ensureRestored(ref, { once, snapshot: 'snap_1' });
      expect(await bench.lab.seen(ref)).toEqual({ ...before, snapshots: expect.anything() });
      expect(await profiles(ref)).toEqual([]);
      await bench.harness.daemon.kill();
      await bench.harness.daemon.start();
      expect((await bench.lab.seen(ref)).state).toBe('stopped');
      await engine.ensureRunning(ref);
      expect(await bench.harness.readInside(ref, NOTE)).toBe('then');
      await expect.poll(() => bench.harness.readInside(ref, '/etc/hostname')).toBe('changed-1\n');
    });

    it('a restore that was interrupted before the machine had its settings back can be completed', async () => {
      const { engine } = bench.harness;
      const ref = await changedSince();
      const before = await bench.lab.seen(ref);
      const to = { once: bench.lab.token(), snapshot: 'snap_1' };
      await keep(engine.site, ref, await requireRaw(engine.site, ref), to.once);
      await engine.site.client.run('PUT', pathOf(ref), {
        project: projectOf(ref),
        body: { restore: to.snapshot },
      });
      expect((await bench.lab.seen(ref)).nics).not.toEqual(before.nics);
      await engine.ensureRestored(ref, to);
      expect(await bench.lab.seen(ref)).toEqual({ ...before, snapshots: expect.anything() });
      // The saved state of a finished operation is outdated and must not be used.
      await keep(engine.site, ref, await requireRaw(engine.site, ref), to.once);
      await engine.ensureNic(ref, bench.lab.nic({ index: 2 }));
      await engine.ensureRestored(ref, { ...to, once: bench.lab.token() });
      expect((await bench.lab.seen(ref)).nics).toHaveLength(3);
      expect(await profiles(ref)).toEqual([]);
    });

    it('an incomplete snapshot is not listed, and is taken again', async () => {
      const { engine } = bench.harness;
      const ref = await bench.lab.stopped();
      await takeTemporary(engine.site, ref, 'snap_1');
      await takeTemporary(engine.site, ref, 'snap_2');
      expect((await bench.lab.seen(ref)).snapshots).toEqual([]);
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      expect((await bench.lab.seen(ref)).snapshots.map(({ id }) => id)).toEqual(['snap_1']);
      const listed = (await engine.observeInstances()).find(({ id }) => id === ref.id);
      expect(listed?.snapshots.map(({ id }) => id)).toEqual(['snap_1']);
      await engine.ensureRestored(ref, { once: bench.lab.token(), snapshot: 'snap_1' });
      expect(await listSnapshots(engine.site, ref)).toHaveLength(1);
    });

    it('a rebuild that was interrupted while the machine did not exist can be completed', async () => {
      const { engine } = bench.harness;
      const ref = await bench.lab.stopped({ nics: [bench.lab.nic()] });
      const before = await bench.lab.seen(ref);
      const guest = bench.lab.guest({ hostname: 'anew-1' });
      const to = { once: bench.lab.token(), image: bench.harness.image, guest };
      if (kind === 'lxd') {
        await keep(engine.site, ref, await requireRaw(engine.site, ref), to.once);
        await engine.site.client.run('DELETE', pathOf(ref), { project: projectOf(ref) });
        expect(await findRaw(engine.site, ref)).toBeNull();
      }
      await engine.ensureRebuilt(ref, to);
      const { seed, hostname } = guest;
      expect(await bench.lab.seen(ref)).toEqual({ ...before, seed, hostname });
      expect(await profiles(ref)).toEqual([]);
      await engine.ensureRunning(ref);
      await expect.poll(() => bench.harness.readInside(ref, '/etc/hostname')).toBe('anew-1\n');
    });
  },
  { keeps: true },
);
