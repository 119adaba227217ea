import { describe, expect, it } from 'vitest';
import type { Ref } from '../port.ts';
import type { Use } from './lab.ts';

export function describePower({ lab }: Use): void {
  describe('the power of a machine', () => {
    it('can be switched on and off, and doing so twice changes nothing', async () => {
      const { engine } = lab();
      const ref = await lab().stopped();
      await engine.ensureRunning(ref);
      const { state, startedAt } = await lab().seen(ref);
      expect([state, startedAt]).toEqual(['running', expect.any(Date)]);
      await engine.ensureRunning(ref);
      expect((await lab().seen(ref)).startedAt).toEqual(startedAt);
      await lab().booted(ref);
      for (const stop of [
        () => lab().shutDown(ref),
        () => engine.requestShutdown(ref, 5),
        () => engine.ensureStopped(ref),
      ]) {
        await stop();
        expect(await lab().seen(ref)).toMatchObject({ state: 'stopped', startedAt: null, agent: null });
      }
    });

    it('can be switched on as soon as the guest has shut down', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      await lab().booted(ref);
      await lab().shutDown(ref);
      await engine.ensureGuest(ref, lab().guest({ hostname: 'web-2' }));
      await engine.ensureRunning(ref);
      expect(await lab().seen(ref)).toMatchObject({ state: 'running', hostname: 'web-2' });
    });

    it.each([
      ['off by force', 'stopped', (ref: Ref) => lab().engine.ensureStopped(ref)],
      ['restarted', 'running', (ref: Ref) => lab().engine.restart(ref, { once: lab().token() })],
    ] as const)(
      'stays on while the guest ignores the shutdown request, until it is %s',
      async (_, state, cut) => {
        const { engine, harness } = lab();
        const ref = await lab().running();
        const { startedAt } = await lab().seen(ref);
        await harness.deafen(ref);
        // The guest is given far more time than the calls take: none of them waits for it.
        for (const seconds of [600, 600, 1]) {
          await engine.requestShutdown(ref, seconds);
          expect(await lab().seen(ref)).toMatchObject({ state: 'running', startedAt });
        }
        await cut(ref);
        const seen = await lab().seen(ref);
        expect(seen.state).toBe(state);
        expect(seen.startedAt).not.toEqual(startedAt);
      },
    );

    it('does not keep the machine from being removed while the guest ignores the shutdown request', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await harness.deafen(ref);
      await engine.requestShutdown(ref, 600);
      await engine.removeInstance(ref);
      expect(await engine.observeInstance(ref)).toBeNull();
    });

    it('can be switched off and on without losing the content of the disk', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await harness.writeInside(ref, '/root/note', 'kept');
      await engine.ensureStopped(ref);
      await engine.ensureRunning(ref);
      expect(await harness.readInside(ref, '/root/note')).toBe('kept');
    });

    it('is observed as off after the guest shut itself down, and watchers are notified', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      const nudges: string[] = [];
      const stop = engine.watch(({ id }) => nudges.push(id));
      await harness.shutDownInside(ref);
      await expect.poll(async () => (await lab().seen(ref)).state).toBe('stopped');
      await expect.poll(() => nudges).toContain(ref.id);
      stop();
    });
  });

  describe('a restart', () => {
    it('happens once for each operation, however often it is requested', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      const [first, second] = [lab().token(), lab().token()];
      const startedAt = async () => (await lab().seen(ref)).startedAt?.getTime();
      const before = await startedAt();
      await engine.restart(ref, { once: first });
      const after = await startedAt();
      expect(after).toBeGreaterThan(before ?? Number.NaN);
      await engine.restart(ref, { once: first });
      expect(await startedAt()).toBe(after);
      await engine.restart(ref, { once: second });
      const last = await startedAt();
      expect(last).toBeGreaterThan(after ?? Number.NaN);
      // A worker that was paused meanwhile repeats the restart of the first operation.
      await engine.restart(ref, { once: first });
      expect(await startedAt()).toBe(last);
    });

    it('starts a stopped machine', async () => {
      const ref = await lab().stopped();
      await lab().engine.restart(ref, { once: lab().token() });
      expect((await lab().seen(ref)).state).toBe('running');
    });
  });
}
