import { beforeEach, describe, expect, it } from 'vitest';
import type { AddressPool } from '../../../provider/catalogue.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { useTestDatabase } from '../../../testing/database.ts';
import { type AddressRequest, allocateAddress, QUARANTINE_DAYS, releaseAddress } from '../store.ts';
import { countEphemeral, hasFreeAddress, secondsUntilFree } from './store.ts';

const now = new Date('2026-03-01T10:00:00Z');
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000);

const test = useTestDatabase();
let accountId: string;
let otherId: string;
let nextPool = 0;

/** Each call returns a pool in a location of its own. */
function poolOf(length: 29 | 30): AddressPool {
  const n = ++nextPool;
  return { slug: `p${n}`, cidr: `10.0.${n}.0/${length}`, location: `loc${n}`, purpose: 'single' };
}

beforeEach(async () => {
  accountId = (await createAccount(test.db)).id;
  otherId = (await createAccount(test.db)).id;
});

const request = (pool: AddressPool, over: Partial<AddressRequest> = {}): AddressRequest => ({
  pools: [pool],
  location: pool.location,
  version: 4,
  accountId,
  kind: 'reserved',
  vmId: null,
  now,
  ...over,
});

async function take(pool: AddressPool, over: Partial<AddressRequest> = {}) {
  const row = await test.db.transaction().execute((tx) => allocateAddress(tx, request(pool, over)));
  if (row === null) throw new Error('There is none left.');
  return row;
}

describe('the availability of addresses', () => {
  it('is known for a pool that was never used', async () => {
    expect(await hasFreeAddress(test.db, request(poolOf(30)))).toBe(true);
    expect(await hasFreeAddress(test.db, request(poolOf(30), { version: 6 }))).toBe(false);
    expect(await hasFreeAddress(test.db, request(poolOf(30), { location: 'elsewhere' }))).toBe(false);
  });

  it('is no when all are held or in quarantine, and yes for the former account', async () => {
    const pool = poolOf(30);
    const { id } = await take(pool);
    expect(await hasFreeAddress(test.db, request(pool))).toBe(false);
    await releaseAddress(test.db, id, now);
    expect(await hasFreeAddress(test.db, request(pool))).toBe(true);
    expect(await hasFreeAddress(test.db, request(pool, { accountId: otherId }))).toBe(false);
    const over = { accountId: otherId, now: later(QUARANTINE_DAYS) };
    expect(await hasFreeAddress(test.db, request(pool, over))).toBe(true);
  });

  it('is no when the rest of the range belonged to a removed pool', async () => {
    const pool = poolOf(29);
    for (let n = 0; n < 5; n++) await take(pool);
    const wider = { ...pool, slug: 'wider', cidr: pool.cidr.replace('/29', '/28') };
    expect(await hasFreeAddress(test.db, request(wider))).toBe(true);
    for (let n = 0; n < 8; n++) await take(wider);
    const half = { ...pool, slug: 'half', cidr: pool.cidr.replace('.0/29', '.8/29') };
    expect(await hasFreeAddress(test.db, request(half))).toBe(false);
  });
});

describe('the time until the next free address', () => {
  it('is the rest of the first quarantine, at least a minute and at most a day', async () => {
    const pool = poolOf(30);
    const { id } = await take(pool);
    await releaseAddress(test.db, id, now);
    const at = (days: number) => secondsUntilFree(test.db, request(pool, { now: later(days) }));
    expect(await at(0)).toBe(86_400);
    expect(await at(QUARANTINE_DAYS - 0.5)).toBe(43_200);
    expect(await at(QUARANTINE_DAYS - 0.0001)).toBe(60);
  });

  it('is unknown if none is in quarantine', async () => {
    const pool = poolOf(30);
    await take(pool);
    expect(await secondsUntilFree(test.db, request(pool))).toBeNull();
  });
});

describe('the used part of the limit on machine addresses', () => {
  it('counts held addresses, and those released within the last week', async () => {
    const pool = poolOf(29);
    const today = new Date();
    const machine = { kind: 'ephemeral', now: today } as const;
    const count = async () => {
      const { rows } = await countEphemeral(accountId, pool.location).execute(test.db);
      return Object.values(rows[0] as object);
    };
    expect(await count()).toEqual([0]);
    await take(pool);
    const { id } = await take(pool, machine);
    await take(pool, { ...machine, accountId: otherId });
    expect(await count()).toEqual([1]);
    await releaseAddress(test.db, id, today);
    expect(await count()).toEqual([1]);
    await take(pool, machine);
    expect(await count()).toEqual([1]);
    await take(pool, machine);
    expect(await count()).toEqual([2]);
    const week = QUARANTINE_DAYS * 86_400_000;
    const other = await take(pool, machine);
    await releaseAddress(test.db, other.id, new Date(today.getTime() - week - 1000));
    expect(await count()).toEqual([2]);
  });
});
