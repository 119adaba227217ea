import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import type { Ref } from '../port.ts';
import type { Use } from './lab.ts';

export function describeDisks(use: Use): void {
  const { lab } = use;
  const note = (ref: Ref, text: string): Promise<void> => lab().harness.writeInside(ref, '/root/note', text);
  const noted = (ref: Ref): Promise<string | null> => lab().harness.readInside(ref, '/root/note');
  const off = (ref: Ref): Promise<void> => lab().engine.ensureStopped(ref);
  const on = (ref: Ref): Promise<void> => lab().engine.ensureRunning(ref);

  describe('snapshots', () => {
    it('are taken once each, listed in order and removed', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      for (const id of ['snap_b', 'snap_a', 'snap_b'])
        await engine.ensureSnapshot(ref, { id, quiesce: false });
      const { snapshots } = await lab().seen(ref);
      expect(snapshots.map(({ id }) => id)).toEqual(['snap_b', 'snap_a']);
      expect(snapshots[0]).toMatchObject({ consistency: 'crash', diskGb: lab().harness.size.diskGb });
      await engine.removeSnapshot(ref, 'snap_b');
      await engine.removeSnapshot(ref, 'snap_b');
      expect((await lab().seen(ref)).snapshots.map(({ id }) => id)).toEqual(['snap_a']);
    });

    it('restore the disk once for each operation, and only while the machine is stopped', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      await note(ref, 'before');
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await note(ref, 'after');
      const to = { once: lab().token(), snapshot: 'snap_1' };
      expect(await refusal(engine.ensureRestored(ref, to))).toBe('invalid_state');
      await off(ref);
      await engine.ensureRestored(ref, to);
      await on(ref);
      expect(await noted(ref)).toBe('before');
      await note(ref, 'later');
      await off(ref);
      await engine.ensureRestored(ref, to);
      await on(ref);
      expect(await noted(ref)).toBe('later');
    });

    it('can be restored only if they are the newest', async () => {
      const { engine } = lab();
      const ref = await lab().stopped();
      for (const id of ['snap_1', 'snap_2']) await engine.ensureSnapshot(ref, { id, quiesce: false });
      const to = (snapshot: string) => ({ once: lab().token(), snapshot });
      expect(await refusal(engine.ensureRestored(ref, to('snap_1')))).toBe('invalid_state');
      expect(await refusal(engine.ensureRestored(ref, to('snap_none')))).toBe('not_found');
      await engine.removeSnapshot(ref, 'snap_2');
      await engine.ensureRestored(ref, to('snap_1'));
    });

    it('can be the source of a new machine', async () => {
      const ref = await lab().running();
      await note(ref, 'then');
      await lab().engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      await note(ref, 'now');
      const copy = await lab().running({ source: { instance: ref.id, snapshot: 'snap_1' } });
      expect(await noted(copy)).toBe('then');
    });

    itIfCapable(use, 'quiesce', 'freeze the file system if quiesce is set', async () => {
      const ref = await lab().running();
      await lab().engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: true });
      expect((await lab().seen(ref)).snapshots[0]?.consistency).toBe('filesystem');
    });
  });

  describe('a rebuild', () => {
    it('replaces the disk and keeps the machine, its interfaces and its addresses', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running({ nics: [lab().nic(), lab().nic({ index: 1 })] });
      await note(ref, 'old');
      const before = await lab().seen(ref);
      const to = { once: lab().token(), image: harness.image, guest: lab().guest({ hostname: 'new-1' }) };
      expect(await refusal(engine.ensureRebuilt(ref, to))).toBe('invalid_state');
      await off(ref);
      await engine.ensureRebuilt(ref, to);
      await on(ref);
      expect(await noted(ref)).toBeNull();
      const { nics, size, host } = before;
      expect(await lab().seen(ref)).toMatchObject({ nics, size, host, hostname: 'new-1' });
      const named = async () => (await harness.readInside(ref, '/etc/hostname'))?.trim();
      await expect.poll(named).toBe('new-1');
    });

    it('happens once for each operation, and is refused while there are snapshots', async () => {
      const { engine, harness } = lab();
      const ref = await lab().stopped();
      const to = { once: lab().token(), image: harness.image, guest: lab().guest() };
      await engine.ensureSnapshot(ref, { id: 'snap_1', quiesce: false });
      expect(await refusal(engine.ensureRebuilt(ref, to))).toBe('invalid_state');
      await engine.removeSnapshot(ref, 'snap_1');
      await engine.ensureRebuilt(ref, to);
      await on(ref);
      await note(ref, 'precious');
      await off(ref);
      await engine.ensureRebuilt(ref, to);
      await on(ref);
      expect(await noted(ref)).toBe('precious');
    });
  });

  describe('rescue mode', () => {
    itIfCapable(use, 'rescue', 'begins and ends with a restart, and does not change the disk', async () => {
      const { engine } = lab();
      const ref = await lab().running();
      await note(ref, 'kept');
      const rescue = async () => (await lab().seen(ref)).rescue;
      await engine.ensureRescue(ref, { sshKeys: [], passwordHash: null });
      await engine.ensureRescue(ref, { sshKeys: [], passwordHash: null });
      expect(await rescue()).toEqual({ wanted: true, active: false });
      await engine.restart(ref, { once: lab().token() });
      expect(await rescue()).toEqual({ wanted: true, active: true });
      await engine.ensureRescue(ref, null);
      expect(await rescue()).toEqual({ wanted: false, active: true });
      await engine.restart(ref, { once: lab().token() });
      expect(await rescue()).toEqual({ wanted: false, active: false });
      expect(await noted(ref)).toBe('kept');
    });
  });
}
