import { describe, expect, it, type TestContext } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import type { Placement, Ref, Size } from '../port.ts';
import type { Lab, Use } from './lab.ts';

/** Returns a size of which each empty host fits only one machine, and the number of hosts. */
async function hogging({ engine, harness }: Lab): Promise<{ size: Size; hosts: number }> {
  const capacity = await engine.readCapacity();
  const free = Math.min(...capacity.map(({ total }) => total.memoryMb));
  return { size: { ...harness.size, memoryMb: Math.floor(free * 0.6) }, hosts: capacity.length };
}

export function describePlaces({ lab }: Use): void {
  const member = async (placement: Placement, size?: Size): Promise<Ref> =>
    lab().stopped({ placement, ...(size === undefined ? {} : { size }) });
  const hostsOf = async (refs: readonly Ref[]): Promise<string[]> =>
    Promise.all(refs.map(async (ref) => (await lab().seen(ref)).host));

  /** Skips tests that need several hosts if the engine has only one. */
  const skipIfAlone = async (skip: TestContext['skip']): Promise<void> =>
    skip((await lab().engine.readCapacity()).length < 2, 'There is only one host.');

  describe('capacity', () => {
    it('shrinks when a machine is created and grows back when it is removed', async () => {
      const { engine, harness } = lab();
      const before = await engine.readCapacity();
      const ref = await lab().stopped();
      const { host } = await lab().seen(ref);
      const after = await engine.readCapacity();
      const freeOn = (capacity: typeof before) => capacity.find((entry) => entry.host === host)?.free;
      expect(freeOn(after)?.memoryMb).toBe((freeOn(before)?.memoryMb ?? 0) - harness.size.memoryMb);
      await engine.removeInstance(ref);
      expect(await engine.readCapacity()).toEqual(before);
    });

    it('runs out: a machine that does not fit is refused by the check and by the creation, and nothing of it remains', async () => {
      const { engine, account } = lab();
      const { size, hosts } = await hogging(lab());
      expect(await engine.fits(account, size, null)).toEqual({ fits: true });
      const made = await Promise.allSettled(Array.from({ length: hosts + 3 }, () => lab().stopped({ size })));
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(hosts);
      expect(await engine.fits(account, size, null)).toMatchObject({
        fits: false,
        code: 'capacity_unavailable',
      });
      const ref = lab().ref();
      expect(await refusal(engine.ensureInstance(ref, lab().spec({ size })))).toBe('capacity_unavailable');
      expect(await engine.observeInstance(ref)).toBeNull();
      for (const { free } of await engine.readCapacity()) expect(free.memoryMb).toBeGreaterThanOrEqual(0);
    });

    it('decides whether a machine can grow, and a machine that grows may be moved to another host', async () => {
      const { engine, harness } = lab();
      const { size, hosts } = await hogging(lab());
      const small = await lab().stopped();
      const crowd = await Promise.all(Array.from({ length: hosts - 1 }, () => lab().stopped({ size })));
      await engine.ensureSize(small, size);
      expect(new Set(await hostsOf([small, ...crowd])).size).toBe(hosts);
      const late = await lab().stopped();
      expect(await refusal(engine.ensureSize(late, size))).toBe('capacity_unavailable');
      expect((await lab().seen(late)).size).toEqual(harness.size);
    });
  });

  describe('placement', () => {
    it('spreads the members of a strict group over all hosts, also when they are created at the same time', async () => {
      const { engine, account } = lab();
      const hosts = (await engine.readCapacity()).length;
      const refs = Array.from({ length: hosts + 1 }, () => lab().ref());
      const group = lab().group({ others: refs.map(({ id }) => id) });
      const placed = await Promise.allSettled(
        refs.map((ref) => engine.ensureInstance(ref, lab().spec({ placement: group }))),
      );
      const made = refs.filter((_, i) => placed[i]?.status === 'fulfilled');
      expect(made).toHaveLength(hosts);
      expect(new Set(await hostsOf(made)).size).toBe(hosts);
      const late = { ...group, others: made.map(({ id }) => id) };
      expect(await engine.fits(account, lab().harness.size, late)).toMatchObject({
        fits: false,
        code: 'placement_unsatisfiable',
      });
      expect(await refusal(engine.ensureInstance(lab().ref(), lab().spec({ placement: late })))).toBe(
        'placement_unsatisfiable',
      );
      await member({ ...late, strict: false });
    });

    it('puts the members of a compact group on the same host', async ({ skip }) => {
      await skipIfAlone(skip);
      const { size } = await hogging(lab());
      const group = lab().group({ policy: 'compact' });
      const first = await member(group, size);
      const tiny = await member({ ...group, others: [first.id] });
      expect(new Set(await hostsOf([first, tiny])).size).toBe(1);
      const others = [first.id, tiny.id];
      expect(
        await refusal(
          lab().engine.ensureInstance(lab().ref(), lab().spec({ size, placement: { ...group, others } })),
        ),
      ).toBe('placement_unsatisfiable');
      const apart = await member({ ...group, others, strict: false }, size);
      expect(new Set(await hostsOf([first, apart])).size).toBe(2);
    });

    it('can be changed for a stopped machine, which then moves', async ({ skip }) => {
      await skipIfAlone(skip);
      const { engine } = lab();
      const first = await lab().stopped();
      const compact = lab().group({ policy: 'compact', others: [first.id] });
      const second = await member(compact);
      await engine.ensureRunning(second);
      const spread = lab().group({ others: [first.id] });
      expect(await refusal(engine.ensurePlacement(second, spread))).toBe('invalid_state');
      await engine.ensureStopped(second);
      await engine.ensurePlacement(second, spread);
      await engine.ensurePlacement(second, spread);
      await engine.ensurePlacement(second, null);
      expect(new Set(await hostsOf([first, second])).size).toBe(2);
    });
  });
}
