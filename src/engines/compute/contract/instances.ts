import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import type { Source } from '../port.ts';
import type { Use } from './lab.ts';

export function describeInstances({ lab }: Use): void {
  describe('instances', () => {
    it('are created stopped, and are observed with the requested settings', async () => {
      const nics = [lab().nic({ index: 0 }), lab().nic({ index: 1, aliases: ['192.0.2.200'] })];
      const guest = lab().guest({ hostname: 'db-1' });
      const ref = await lab().stopped({ nics, guest });
      expect(await lab().seen(ref)).toMatchObject({
        ...ref,
        state: 'stopped',
        problem: null,
        size: lab().harness.size,
        nics,
        image: lab().harness.image,
        hostname: 'db-1',
        seed: guest.seed,
        startedAt: null,
        agent: null,
        rescue: { wanted: false, active: false },
        snapshots: [],
      });
    });

    it('are created once, even if several processes ask for them at the same time and repeatedly', async () => {
      const ref = lab().ref();
      const before = await lab().engine.readCapacity();
      const other = await lab().harness.reopen();
      const spec = lab().spec({ nics: [lab().nic()] });
      const engines = [lab().engine, other, lab().engine, other];
      await Promise.all(engines.map((engine) => engine.ensureInstance(ref, spec)));
      const made = await lab().seen(ref);
      await lab().engine.ensureInstance(ref, lab().spec({ size: { ...spec.size, vcpus: 7 } }));
      expect(await lab().seen(ref)).toEqual(made);
      await lab().engine.removeInstance(ref);
      expect(await lab().engine.readCapacity()).toEqual(before);
      await other.close();
    });

    it('appear in the list with the same values as when they are read alone', async () => {
      const refs = [await lab().stopped(), await lab().stopped()];
      const listed = await lab().engine.observeInstances();
      for (const ref of refs) expect(listed.find(({ id }) => id === ref.id)).toEqual(await lab().seen(ref));
    });

    it('are removed whether they run or not, and removing one twice is not an error', async () => {
      const ref = await lab().running();
      await lab().engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await lab().engine.removeInstance(ref);
      expect(await lab().engine.observeInstance(ref)).toBeNull();
      await lab().engine.removeInstance(ref);
      await lab().engine.removeSnapshot(ref, 'snap_1');
      await lab().engine.removeNic(ref, 'nic_1');
      await lab().engine.removeInstance(lab().ref());
    });

    it('of one account cannot be read or removed by another account', async () => {
      const ref = await lab().stopped();
      const foreign = { ...ref, account: 'acc_somebody_else' };
      expect(await lab().engine.observeInstance(foreign)).toBeNull();
      await lab().engine.removeInstance(foreign);
      expect(await lab().engine.observeInstance(ref)).not.toBeNull();
    });

    it('that do not exist are refused with not_found by every call', async () => {
      const ref = lab().ref();
      const { engine, harness } = lab();
      expect(await refusal(engine.ensureRunning(ref))).toBe('not_found');
      expect(await refusal(engine.requestShutdown(ref, 5))).toBe('not_found');
      expect(await refusal(engine.ensureStopped(ref))).toBe('not_found');
      expect(await refusal(engine.restart(ref, { once: 'op_1' }))).toBe('not_found');
      expect(await refusal(engine.ensureSize(ref, harness.size))).toBe('not_found');
      expect(await refusal(engine.ensureNic(ref, lab().nic()))).toBe('not_found');
      expect(await refusal(engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false }))).toBe('not_found');
      expect(await refusal(engine.ensureGuest(ref, lab().guest()))).toBe('not_found');
      expect(await refusal(engine.readConsoleLog(ref, 1000))).toBe('not_found');
    });

    it('cannot be created from an image, machine, snapshot or network that does not exist', async () => {
      const { engine } = lab();
      const from = (source: Source) => refusal(engine.ensureInstance(lab().ref(), lab().spec({ source })));
      expect(await from({ image: { account: null, id: 'no-such-image' } })).toBe('not_found');
      expect(await from({ instance: 'vm_none' })).toBe('not_found');
      const ref = await lab().stopped();
      expect(await from({ instance: ref.id, snapshot: 'snap_none' })).toBe('not_found');
      const nics = [lab().nic({ network: 'net_none' })];
      expect(await refusal(engine.ensureInstance(lab().ref(), lab().spec({ nics })))).toBe('not_found');
    });

    it('are copied with their disk, and later changes of the copy do not affect the original', async () => {
      const { harness } = lab();
      const original = await lab().running();
      await harness.writeInside(original, '/root/note', 'mine');
      const copy = await lab().running({ source: { instance: original.id } });
      expect(await harness.readInside(copy, '/root/note')).toBe('mine');
      await harness.writeInside(copy, '/root/note', 'theirs');
      expect(await harness.readInside(original, '/root/note')).toBe('mine');
    });

    it('are observed unchanged by a driver that was just opened', async () => {
      const { harness } = lab();
      const ref = await lab().running({ nics: [lab().nic()] });
      await harness.writeInside(ref, '/root/note', 'kept');
      const before = await lab().seen(ref);
      const other = await harness.reopen();
      expect(await other.observeInstance(ref)).toEqual(before);
      expect(await harness.readInside(ref, '/root/note')).toBe('kept');
      await other.close();
    });

    it('are not created if the caller has already aborted', async () => {
      const ref = lab().ref();
      const reason = new Error('given up');
      const signal = AbortSignal.abort(reason);
      await expect(lab().engine.ensureInstance(ref, lab().spec(), signal)).rejects.toBe(reason);
      expect(await lab().engine.observeInstance(ref)).toBeNull();
    });
  });

  describe('the size of a machine', () => {
    it('can grow and shrink while it is stopped, except for the disk', async () => {
      const { engine, harness } = lab();
      const ref = await lab().stopped();
      const { vcpus, memoryMb, diskGb } = harness.size;
      const large = { vcpus: vcpus + 1, memoryMb: memoryMb * 2, diskGb: diskGb + 5 };
      await engine.ensureSize(ref, large);
      await engine.ensureSize(ref, large);
      expect((await lab().seen(ref)).size).toEqual(large);
      expect(await refusal(engine.ensureSize(ref, { ...large, diskGb }))).toBe('engine_failed');
      const small = { ...harness.size, diskGb: large.diskGb };
      await engine.ensureSize(ref, small);
      expect((await lab().seen(ref)).size).toEqual(small);
    });

    it('can grow while it runs if the engine supports live resize, and never shrink', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      const large = { ...harness.size, vcpus: harness.size.vcpus + 1 };
      const outcome = await refusal(engine.ensureSize(ref, large));
      expect(outcome).toBe(engine.capabilities.liveResize === true ? 'not refused' : 'invalid_state');
      if (outcome === 'not refused')
        expect(await refusal(engine.ensureSize(ref, harness.size))).toBe('invalid_state');
      expect((await lab().seen(ref)).state).toBe('running');
    });
  });
}
