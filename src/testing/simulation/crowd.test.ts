/**
 * With any one account, location, kind or foreign server at its worst, the operations of everybody else start within two
 * seconds of the simulated clock.
 */
import { describe, expect, it } from 'vitest';
import { SLOTS } from '../../operations/claims/slots.ts';
import { type Arrival, kindsOfOwnWork, simulateCrowd, type Waited } from './crowd.ts';
import { fetch, restart } from './kinds.ts';
import { openHomes } from './suite.ts';

const homes = openHomes();

const LOCATIONS = ['fra1', 'ams1', 'hel1'];
/** The last account is never among the stuck ones. */
const ACCOUNTS = 12;
const STUCK = 160;
const OTHERS = 30;
const pick = <T>(list: readonly T[], place: number): T => list[place % list.length] as T;
const many = (count: number, arrival: (i: number) => Arrival): Arrival[] =>
  Array.from({ length: count }, (_, i) => arrival(i));

const p99 = (waited: readonly Waited[]): number => {
  const sorted = waited.map(({ started }) => started).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] as number;
};

async function expectServed(stuck: readonly Arrival[], others: readonly Arrival[]): Promise<void> {
  const waited = await simulateCrowd(homes[0]!, { stuck, others }, SLOTS);
  expect(waited).toHaveLength(others.length);
  expect(p99(waited)).toBeLessThan(2);
  expect(waited.filter(({ ended }) => ended === null)).toEqual([]);
}

const mixed = (i: number): Arrival => ({
  account: i % ACCOUNTS,
  location: pick(LOCATIONS, i),
  kind: pick(kindsOfOwnWork, Math.floor(i / LOCATIONS.length)),
});

describe('the operations of everybody else start within two seconds', () => {
  it('while one account floods the workers with operations that hang', () =>
    expectServed(
      many(STUCK, (i) => ({ ...mixed(i), account: 0 })),
      many(OTHERS, (i) => ({ ...mixed(i), account: 1 + (i % (ACCOUNTS - 1)) })),
    ));

  it('while all operations in one location hang, whoever started them', () =>
    expectServed(
      many(STUCK, (i) => ({ ...mixed(i), location: 'fra1' })),
      many(OTHERS, (i) => ({ ...mixed(i), location: pick(['ams1', 'hel1'], i) })),
    ));

  it('while all operations of one kind hang, wherever they are', () =>
    expectServed(
      many(STUCK, (i) => ({ ...mixed(i), kind: restart })),
      many(OTHERS, (i) => ({
        ...mixed(i),
        kind: pick(
          kindsOfOwnWork.filter((kind) => kind !== restart),
          i,
        ),
      })),
    ));

  it('while one foreign server never answers, also those that download from another server', () =>
    expectServed(
      many(STUCK, (i) => ({
        account: i % (ACCOUNTS - 1),
        location: '',
        kind: fetch,
        server: 'drips.example',
      })),
      many(OTHERS, (i) =>
        i % 2 === 0
          ? { account: i % ACCOUNTS, location: '', kind: fetch, server: `good-${i % 4}.example` }
          : mixed(i),
      ),
    ));
});
