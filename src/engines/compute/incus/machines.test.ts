import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../testing/database.ts';
import { IMAGE, POOL } from '../../../testing/incus/furnish.ts';
import { type IncusHarness, openIncus } from '../../../testing/incus/harness.ts';
import { engineKinds, whyNoIncus } from '../../../testing/incus/programs.ts';
import { FORCED, Lab, refusal } from '../contract/lab.ts';
import type { Ref } from '../instance.ts';
import { projectOf } from './names.ts';
import { changeInstance, requireRaw } from './site.ts';

const database = useTestDatabase();

for (const kind of engineKinds) {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(reason === null ? kind : `${kind}: ${reason}`, () => {
    let harness: IncusHarness;
    let lab: Lab;
    beforeAll(async () => {
      const bounds = { instances: 4, vcpus: null, memoryMb: 1024, diskGb: null };
      harness = await openIncus(database.db, { kind, settings: { bounds } });
      lab = new Lab(harness);
    });
    afterAll(async () => {
      await lab.clear();
      await harness.close();
    });

    /** As a daemon leaves it that is killed while it makes one: all there but the note that follows the disk. */
    const cutShort = (ref: Ref): Promise<void> =>
      changeInstance(harness.engine.site, ref, ({ config }) => {
        const { 'volatile.apply_template': _, ...rest } = config;
        return { config: rest };
      });

    it.skipIf(kind === 'lxd')(
      'gives no two machines the same user ids, also after a copy and a rebuild',
      async () => {
        const { engine, image } = harness;
        const idsOf = async (ref: Ref): Promise<string> => {
          await engine.ensureRunning(ref);
          await harness.execInside(ref, [
            'sh',
            '-c',
            'cat /proc/self/uid_map > /root/ids; chown 1000 /root/ids',
          ]);
          return (await harness.readInside(ref, '/root/ids')) ?? '';
        };
        const ref = await lab.stopped();
        const first = await idsOf(ref);
        expect(first.trim()).toMatch(/^0 +\d+ +65536$/);
        const copy = await lab.stopped({ source: { instance: ref.id } });
        const second = await idsOf(copy);
        await engine.ensureStopped(ref, FORCED);
        await engine.ensureRebuilt(ref, { once: lab.token(), image, guest: lab.guest() });
        expect(second).not.toBe(first);
        expect(await idsOf(ref)).not.toBe(second);
        await lab.clear();
      },
    );

    it('makes one again whose making was cut short', async () => {
      const { engine } = harness;
      const before = await engine.readCapacity();
      const ref = lab.ref();
      await engine.ensureInstance(ref, lab.spec());
      const first = await requireRaw(engine.site, ref);
      await cutShort(ref);
      expect((await lab.seen(ref)).state).toBe('creating');
      await engine.ensureInstance(ref, lab.spec());
      expect((await lab.seen(ref)).state).toBe('stopped');
      const second = await requireRaw(engine.site, ref);
      expect(second.config['volatile.uuid']).not.toBe(first.config['volatile.uuid']);
      await engine.ensureRunning(ref);
      await engine.removeInstance(ref);
      expect(await engine.readCapacity()).toEqual(before);
    });

    it('keeps accounts within the bounds of the location, and nothing of what is refused', async () => {
      const { engine, size } = harness;
      const ref = await lab.stopped();
      const before = await engine.readCapacity();
      const large = { ...size, memoryMb: 2048 };
      const other = lab.ref();
      expect(await refusal(engine.ensureInstance(other, lab.spec({ size: large })))).toBe('quota_exceeded');
      expect(await refusal(engine.ensureSize(ref, large))).toBe('quota_exceeded');
      expect(await engine.observeInstance(other)).toBeNull();
      expect((await lab.seen(ref)).size).toEqual(size);
      expect(await engine.readCapacity()).toEqual(before);
    });

    it("lists what somebody else made in an account's project, and nothing of the provider's own", async () => {
      const { engine, daemon } = harness;
      const ref = await lab.stopped();
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

    it('lets a new password and a new name into the guest with a new seed', async () => {
      const { engine } = harness;
      const ref = await lab.running({ guest: lab.guest({ hostname: 'one', passwordHash: '$6$salt$first' }) });
      const shadow = () => harness.readInside(ref, '/etc/shadow');
      await expect.poll(shadow).toContain('root:$6$salt$first:');
      await engine.ensureGuest(ref, lab.guest({ hostname: 'two', passwordHash: '$6$salt$second' }));
      await engine.restart(ref, { force: true, once: lab.token() });
      await expect.poll(shadow).toContain('root:$6$salt$second:');
      await expect.poll(() => harness.readInside(ref, '/etc/hostname')).toBe('two\n');
    });
  });
}
