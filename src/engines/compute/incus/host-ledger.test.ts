import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../testing/database.ts';
import type { Placement, Ref, Size } from '../instance.ts';
import { type HostTotal, PgLedger } from './host-ledger.ts';

const database = useTestDatabase();

const fresh = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
const machine = (): Ref => ({ account: 'acc_1', id: fresh('vm') });
const size = (memoryMb: number): Size => ({ vcpus: 1, memoryMb, diskGb: 1 });
const hostTotal = (name: string, memoryMb = 100): HostTotal => ({
  name,
  total: { vcpus: 99, memoryMb, diskGb: 99 },
});
const spread = (others: readonly Ref[], strict = true): Placement => ({
  groupId: 'pg_1',
  policy: 'spread',
  strict,
  others: others.map(({ id }) => id),
});
/** A ledger for a new, empty location. */
const open = (): PgLedger => new PgLedger(database.db, fresh('lab'));

describe('the host ledger', () => {
  it('never reserves more than a host has, even when many machines ask at the same time', async () => {
    const sizes = fc.record({
      vcpus: fc.integer({ min: 1, max: 8 }),
      memoryMb: fc.integer({ min: 1, max: 64 }),
      diskGb: fc.integer({ min: 1, max: 32 }),
    });
    const totals = fc.array(sizes, { minLength: 1, maxLength: 3 });
    const asked = fc.array(sizes, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(totals, asked, async (totals, wanted) => {
        const ledger = open();
        const hosts = totals.map((total, i) => ({ name: `host-${i}`, total }));
        const choices = await Promise.all(wanted.map((each) => ledger.reserve(machine(), each, null, hosts)));
        const used = await ledger.used();
        for (const { name, total } of hosts) {
          const given = wanted.filter((_, i) => (choices[i] as { host?: string }).host === name);
          const sum = (amount: (each: Size) => number) => given.reduce((all, each) => all + amount(each), 0);
          const taken = {
            vcpus: sum(({ vcpus }) => vcpus),
            memoryMb: sum(({ memoryMb }) => memoryMb),
            diskGb: sum(({ diskGb }) => diskGb),
          };
          expect(used.get(name) ?? { vcpus: 0, memoryMb: 0, diskGb: 0 }).toEqual(taken);
          expect(taken.vcpus).toBeLessThanOrEqual(total.vcpus);
          expect(taken.memoryMb).toBeLessThanOrEqual(total.memoryMb);
          expect(taken.diskGb).toBeLessThanOrEqual(total.diskGb);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('keeps the host of a machine that asks again, unless that host is lost', async () => {
    const ledger = open();
    const ref = machine();
    const totals = [hostTotal('a'), hostTotal('b')];
    expect(await ledger.reserve(ref, size(60), null, totals)).toEqual({ host: 'a' });
    await ledger.reserve(machine(), size(60), null, totals);
    expect(await ledger.reserve(ref, size(60), null, totals)).toEqual({ host: 'a' });
    expect(await ledger.reserve(ref, size(60), null, [hostTotal('b'), hostTotal('c')])).toEqual({
      host: 'c',
    });
    expect(await ledger.find(ref)).toEqual({ ...ref, host: 'c', size: size(60) });
    expect((await ledger.used()).get('a')).toBeUndefined();
  });

  it('spreads a group over hosts, even if all members ask at the same time', async () => {
    const ledger = open();
    const group = [machine(), machine(), machine()];
    const totals = [hostTotal('a'), hostTotal('b')];
    const choices = await Promise.all(
      group.map((ref) => ledger.reserve(ref, size(1), spread(group), totals)),
    );
    const hosts = choices.flatMap((choice) => ('host' in choice ? [choice.host] : []));
    expect(hosts.sort()).toEqual(['a', 'b']);
    expect(choices).toContainEqual({ refused: 'placement_unsatisfiable' });
    expect(await ledger.choose(size(1), spread(group), totals)).toEqual({
      refused: 'placement_unsatisfiable',
    });
  });

  it('lets a machine grow on its host, else on another host, else refuses', async () => {
    const ledger = open();
    const ref = machine();
    const totals = [hostTotal('a'), hostTotal('b')];
    await ledger.reserve(ref, size(10), null, totals);
    const grown = (memoryMb: number) => ({ ...ref, host: 'a', size: size(memoryMb) });
    expect(await ledger.move(grown(100), null, totals)).toEqual({ host: 'a' });
    await ledger.move(grown(10), null, totals);
    await ledger.note({ ...machine(), host: 'a', size: size(50) });
    expect(await ledger.move(grown(60), null, totals)).toEqual({ host: 'b' });
    const before = await ledger.find(ref);
    expect(await ledger.move({ ...grown(101), host: 'b' }, null, totals)).toEqual({
      refused: 'capacity_unavailable',
    });
    expect(await ledger.find(ref)).toEqual(before);
  });

  it('lets a machine shrink on a host that has become too small', async () => {
    const ledger = open();
    const entry = { ...machine(), host: 'a', size: size(90) };
    await ledger.note(entry);
    await ledger.note({ ...machine(), host: 'a', size: size(90) });
    expect(await ledger.move({ ...entry, size: size(80) }, null, [hostTotal('a')])).toEqual({ host: 'a' });
  });

  it('moves a machine to a host that satisfies its placement group, and does not move it without need', async () => {
    const ledger = open();
    const mate = { ...machine(), host: 'a', size: size(1) };
    const entry = { ...machine(), host: 'a', size: size(1) };
    await ledger.note(mate);
    await ledger.note(entry);
    const totals = [hostTotal('a'), hostTotal('b')];
    expect(await ledger.move(entry, spread([mate]), [hostTotal('a')])).toEqual({
      refused: 'placement_unsatisfiable',
    });
    expect(await ledger.move(entry, spread([mate], false), [hostTotal('a')])).toEqual({ host: 'a' });
    expect(await ledger.move(entry, spread([mate]), totals)).toEqual({ host: 'b' });
    expect(await ledger.move({ ...entry, host: 'b' }, spread([mate]), totals)).toEqual({ host: 'b' });
  });

  it('frees the capacity of a released machine, and keeps locations apart', async () => {
    const [here, there] = [open(), open()];
    const ref = machine();
    await here.reserve(ref, size(100), null, [hostTotal('a')]);
    expect(await there.reserve(machine(), size(100), null, [hostTotal('a')])).toEqual({ host: 'a' });
    expect(await here.choose(size(1), null, [hostTotal('a')])).toEqual({ refused: 'capacity_unavailable' });
    await here.release(ref);
    await here.release(ref);
    expect(await here.used()).toEqual(new Map());
    expect((await there.used()).size).toBe(1);
  });
});
