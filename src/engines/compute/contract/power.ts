import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { FORCED, GRACEFUL, type Use } from './lab.ts';

export function describePower({ lab }: Use): void {
  describe('power', () => {
    it('is switched on and off, and what is so already stays so', async () => {
      const { engine } = lab();
      const ref = await lab().stopped();
      await engine.ensureRunning(ref);
      const { state, startedAt } = await lab().seen(ref);
      expect([state, startedAt]).toEqual(['running', expect.any(Date)]);
      await engine.ensureRunning(ref);
      expect((await lab().seen(ref)).startedAt).toEqual(startedAt);
      for (const stop of [GRACEFUL, GRACEFUL, FORCED]) {
        await engine.ensureStopped(ref, stop);
        expect(await lab().seen(ref)).toMatchObject({ state: 'stopped', startedAt: null, agent: null });
      }
    });

    it('stays on when the guest does not heed the request, until it is cut', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await harness.deafen(ref);
      const brief = { force: false, timeoutSeconds: 1 } as const;
      expect(await refusal(engine.ensureStopped(ref, brief))).toBe('shutdown_timeout');
      expect(await refusal(engine.restart(ref, { ...brief, once: lab().token() }))).toBe('shutdown_timeout');
      expect((await lab().seen(ref)).state).toBe('running');
      await engine.ensureStopped(ref, FORCED);
      expect((await lab().seen(ref)).state).toBe('stopped');
    });

    it('keeps what is on the disk through all of it', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await harness.writeInside(ref, '/root/note', 'kept');
      await engine.ensureStopped(ref, FORCED);
      await engine.ensureRunning(ref);
      expect(await harness.readInside(ref, '/root/note')).toBe('kept');
    });

    it('is seen as off when the guest shut itself down, and whoever watches is nudged', async () => {
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
    it('happens once for each operation, however often it is asked for', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      const [first, second] = [lab().token(), lab().token()];
      const startedAt = async () => (await lab().seen(ref)).startedAt?.getTime();
      const before = await startedAt();
      await engine.restart(ref, { ...GRACEFUL, once: first });
      const after = await startedAt();
      expect(after).toBeGreaterThan(before ?? Number.NaN);
      await engine.restart(ref, { ...GRACEFUL, once: first });
      expect(await startedAt()).toBe(after);
      await engine.restart(ref, { ...FORCED, once: second });
      const last = await startedAt();
      expect(last).toBeGreaterThan(after ?? Number.NaN);
      // A worker that was paused meanwhile repeats the restart of the first operation.
      await engine.restart(ref, { ...GRACEFUL, once: first });
      expect(await startedAt()).toBe(last);
    });

    it('leaves a stopped machine running', async () => {
      const ref = await lab().stopped();
      await lab().engine.restart(ref, { ...GRACEFUL, once: lab().token() });
      expect((await lab().seen(ref)).state).toBe('running');
    });
  });
}
