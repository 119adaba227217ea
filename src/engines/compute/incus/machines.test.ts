import { expect, it } from 'vitest';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { IMAGE, POOL } from '../../../testing/incus/furnish.ts';
import { refusal } from '../../contract/refusal.ts';
import type { Ref } from '../instance.ts';
import { changeInstance, requireRaw } from './driver-context.ts';
import { projectOf } from './names.ts';

const bounds = { instances: 4, vcpus: null, memoryMb: 1024, diskGb: null };

describeEngines(
  (bench, kind) => {
    /**
     * Leaves the machine as a daemon that was killed while creating it: complete except for the key that the engine
     * writes after the disk.
     */
    const cutShort = (ref: Ref): Promise<void> =>
      changeInstance(bench.harness.engine.site, ref, ({ config }) => {
        const { 'volatile.apply_template': _, ...rest } = config;
        return { config: rest };
      });

    it.skipIf(kind === 'lxd')(
      'no two machines have the same user ids, also after a copy and a rebuild',
      async () => {
        const { engine, image } = bench.harness;
        const idsOf = async (ref: Ref): Promise<string> => {
          await engine.ensureRunning(ref);
          await bench.harness.execInside(ref, [
            'sh',
            '-c',
            'cat /proc/self/uid_map > /root/ids; chown 1000 /root/ids',
          ]);
          return (await bench.harness.readInside(ref, '/root/ids')) ?? '';
        };
        const ref = await bench.lab.stopped();
        const first = await idsOf(ref);
        expect(first.trim()).toMatch(/^0 +\d+ +65536$/);
        const copy = await bench.lab.stopped({ source: { instance: ref.id } });
        const second = await idsOf(copy);
        await engine.ensureStopped(ref);
        await engine.ensureRebuilt(ref, { once: bench.lab.token(), image, guest: bench.lab.guest() });
        expect(second).not.toBe(first);
        expect(await idsOf(ref)).not.toBe(second);
        await bench.lab.clear();
      },
    );

    it('a machine whose creation was interrupted is created again', async () => {
      const { engine } = bench.harness;
      const before = await engine.readCapacity();
      const ref = bench.lab.ref();
      await engine.ensureInstance(ref, bench.lab.spec());
      const first = await requireRaw(engine.site, ref);
      await cutShort(ref);
      expect((await bench.lab.seen(ref)).state).toBe('creating');
      await engine.ensureInstance(ref, bench.lab.spec());
      expect((await bench.lab.seen(ref)).state).toBe('stopped');
      const second = await requireRaw(engine.site, ref);
      expect(second.config['volatile.uuid']).not.toBe(first.config['volatile.uuid']);
      await engine.ensureRunning(ref);
      await engine.removeInstance(ref);
      expect(await engine.readCapacity()).toEqual(before);
    });

    it('a machine beyond the bounds of the account is refused, and nothing of it remains', async () => {
      const { engine, size } = bench.harness;
      const ref = await bench.lab.stopped();
      const before = await engine.readCapacity();
      const large = { ...size, memoryMb: 2048 };
      const other = bench.lab.ref();
      expect(await refusal(engine.ensureInstance(other, bench.lab.spec({ size: large })))).toBe(
        'quota_exceeded',
      );
      expect(await refusal(engine.ensureSize(ref, large))).toBe('quota_exceeded');
      expect(await engine.observeInstance(other)).toBeNull();
      expect((await bench.lab.seen(ref)).size).toEqual(size);
      expect(await engine.readCapacity()).toEqual(before);
    });

    it('machines that somebody else created in the project of an account are listed, and those of the provider are not', async () => {
      const { engine, daemon } = bench.harness;
      const ref = await bench.lab.stopped();
      const make = (project: string, name: string) =>
        daemon.client.run('POST', '/1.0/instances', {
          project,
          body: {
            name,
            profiles: [],
            config: { 'limits.memory': '64MiB' },
            devices: { root: { type: 'disk', path: '/', pool: POOL } },
            source: { type: 'image', alias: IMAGE },
          },
        });
      await make('default', 'of-the-provider');
      await make(projectOf(ref), 'stray');
      const seen = await engine.observeInstances();
      expect(seen.map(({ account, id }) => ({ account, id }))).toContainEqual({
        account: ref.account,
        id: 'stray',
      });
      expect(seen.filter(({ id }) => id.includes('provider'))).toEqual([]);
      await engine.removeInstance({ account: ref.account, id: 'stray' });
    });

    it('a new seed applies a new password and host name to the guest', async () => {
      const { engine } = bench.harness;
      const ref = await bench.lab.running({
        guest: bench.lab.guest({ hostname: 'one', passwordHash: '$6$salt$first' }),
      });
      const shadow = () => bench.harness.readInside(ref, '/etc/shadow');
      await expect.poll(shadow).toContain('root:$6$salt$first:');
      await engine.ensureGuest(ref, bench.lab.guest({ hostname: 'two', passwordHash: '$6$salt$second' }));
      await engine.restart(ref, { once: bench.lab.token() });
      await expect.poll(shadow).toContain('root:$6$salt$second:');
      await expect.poll(() => bench.harness.readInside(ref, '/etc/hostname')).toBe('two\n');
    });
  },
  { keeps: true, settings: { bounds } },
);
