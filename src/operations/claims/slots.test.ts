import { describe, expect, it } from 'vitest';
import { choose } from './choice.ts';
import { type Cell, SLOTS, Slots } from './slots.ts';

const LONG = 'long.work';
const kindOf = (type: string) => ({ typicalSeconds: type === LONG ? 120 : 5 });
const slots = (): Slots => new Slots(SLOTS, kindOf);
const cell = (more: Partial<Cell> = {}): Cell => ({
  lane: 'own',
  account_id: 'acc_1',
  location: 'fra1',
  type: 'vm.power_off',
  server: '',
  ...more,
});

/** Starts operations that never end, until none of them may start any more. */
function fill(into: Slots, of: (i: number) => Cell): number {
  let [taken, refusals] = [0, 0];
  for (let i = 0; refusals < 100; i++)
    if (into.take(of(i))) {
      taken++;
      refusals = 0;
    } else refusals++;
  return taken;
}

const others = [0, 1, 2, 3, 4].map(String);
const nth = (i: number): string => others[i % others.length] as string;

describe('a lane is never filled by', () => {
  it.each([
    ['one account', (i: number) => cell({ location: nth(i), type: nth(Math.floor(i / 5)) })],
    ['one location', (i: number) => cell({ account_id: nth(i), type: nth(Math.floor(i / 5)) })],
    ['one kind', (i: number) => cell({ account_id: nth(i), location: nth(Math.floor(i / 5)) })],
  ])('%s, and every group of other operations still has slots', (_, stuck) => {
    const full = slots();
    fill(full, stuck);
    expect(full.freeIn('own')).toBeGreaterThanOrEqual(SLOTS.own / 2);
    // In the same account, location or kind, as long as one of them differs from what is stuck.
    const [first, ...properties] = [stuck(0), 'account_id', 'location', 'type'] as const;
    for (const property of properties) {
      const isShared = [0, 1, 2, 3, 4, 5, 6].every((i) => stuck(i)[property] === first[property]);
      if (isShared) expect([property, full.take({ ...first, [property]: 'new' })]).toEqual([property, true]);
    }
  });

  it('one foreign server, and downloads from another server start', () => {
    const full = slots();
    const drips = (i: number): Cell =>
      cell({ lane: 'foreign', location: '', type: 'iso.create', account_id: `acc_${i}`, server: 'drips' });
    expect(fill(full, drips)).toBeLessThanOrEqual(SLOTS.foreign / 2);
    expect(full.take({ ...drips(99), server: 'good' })).toBe(true);
    expect(full.freeIn('own')).toBe(SLOTS.own);
  });

  it('long operations: a third is left for short ones', () => {
    const full = slots();
    fill(full, (i) => cell({ type: LONG, account_id: `acc_${i}`, location: `l${i}` }));
    fill(full, (i) => cell({ type: LONG, account_id: `acc_${i}`, location: `l${i}` }));
    expect(full.freeIn('own')).toBeGreaterThanOrEqual(Math.floor(SLOTS.own / 3));
    expect(full.take(cell())).toBe(true);
  });
});

it('an account in one location runs at least 32 operations at once', () => {
  expect(fill(slots(), (i) => cell({ type: nth(i) }))).toBeGreaterThanOrEqual(32);
});

it('a lane with one slot still runs every operation', () => {
  const one = new Slots({ own: 1, foreign: 1, undo: 1 }, kindOf);
  expect([one.take(cell()), one.take(cell({ account_id: 'acc_2' }))]).toEqual([true, false]);
});

describe('the choice of operations', () => {
  it('takes the accounts in turn, beginning after the last one', () => {
    const few = new Slots({ own: 3, foreign: 0, undo: 0 }, kindOf);
    const cells = ['acc_1', 'acc_2', 'acc_3', 'acc_4'].map((account_id) =>
      cell({ account_id, location: account_id, type: account_id }),
    );
    const { wanted, cursor } = choose(cells, few, 'acc_2');
    expect(wanted.map(({ account_id }) => account_id)).toEqual(['acc_3', 'acc_4', 'acc_1']);
    expect(cursor).toBe('acc_1');
  });

  it('takes the locations and kinds of an account in turn', () => {
    const cells = ['fra1', 'ams1'].map((location) => cell({ location }));
    const { wanted } = choose(cells, slots(), '');
    const [one, other] = wanted.map(({ count }) => count);
    expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThanOrEqual(1);
  });

  it('skips full groups, and gives their share to the others', () => {
    const full = slots();
    fill(full, () => cell());
    const { wanted } = choose([cell(), cell({ account_id: 'acc_2', type: 'vm.create' })], full, '');
    expect(wanted.map(({ account_id }) => account_id)).toEqual(['acc_2']);
  });
});
