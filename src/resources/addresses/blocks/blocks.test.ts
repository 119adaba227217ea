import { beforeEach, expect, it } from 'vitest';
import type { AddressPool } from '../../../provider/catalogue.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { useTestDatabase } from '../../../testing/database.ts';
import { allocateAddress, releaseAddress } from '../store.ts';
import { allocateBlock, blockPoolsOf } from './store.ts';

const test = useTestDatabase();
const now = new Date('2026-03-01T10:00:00Z');
let accountId: string;
let nextPool = 0;

beforeEach(async () => {
  accountId = (await createAccount(test.db)).id;
});

/** Each call returns a pool in a location of its own, with 32 addresses. */
function pool(purpose: AddressPool['purpose'] = 'subnet'): AddressPool {
  const n = ++nextPool;
  return { slug: `p${n}`, cidr: `10.1.${n}.32/27`, location: `loc${n}`, purpose };
}

const request = ({ location, ...rest }: AddressPool, version: 4 | 6 = 4) => ({
  pools: [{ location, ...rest }],
  location,
  version,
  accountId,
  kind: 'subnet' as const,
  vmId: null,
  now,
});

const allocate = async (from: AddressPool, length: number, version: 4 | 6 = 4) =>
  (await test.db.transaction().execute((tx) => allocateBlock(tx, request(from, version), length)))?.block ??
  null;

it('begins at a multiple of its size, and what is skipped is used for smaller blocks', async () => {
  const from = pool();
  const net = from.cidr.replace('32/27', '');
  expect(await allocate(from, 29)).toBe(`${net}32/29`);
  expect(await allocate(from, 28)).toBe(`${net}48/28`);
  expect(await allocate(from, 29)).toBe(`${net}40/29`);
  expect(await allocate(from, 29)).toBeNull();
  expect(await allocate(from, 27)).toBeNull();
});

it('is not given as a part or as single addresses, also after it was released', async () => {
  const from = pool();
  const row = await test.db.transaction().execute((tx) => allocateBlock(tx, request(from), 27));
  await releaseAddress(test.db, row?.id ?? '', now);
  expect(await allocate(from, 29)).toBeNull();
  const single = { ...request({ ...from, purpose: 'single' }), kind: 'reserved' as const };
  expect(await test.db.transaction().execute((tx) => allocateAddress(tx, single))).toBeNull();
  expect(await allocate(from, 27)).toBe(from.cidr);
});

it('comes from one pool for many at once, each once', async () => {
  const from = pool();
  const blocks = await Promise.all(Array.from({ length: 6 }, () => allocate(from, 29)));
  const given = blocks.filter((block) => block !== null);
  expect([given.length, new Set(given).size]).toEqual([4, 4]);
});

it('of IPv6 comes from the second half of a pool for single prefixes', async () => {
  const from: AddressPool = { slug: 'six', cidr: '2001:db8:700::/40', location: 'six1', purpose: 'single' };
  expect(await allocate(from, 48, 6)).toBe('2001:db8:780::/48');
  expect(await allocate(from, 56, 6)).toBe('2001:db8:781::/56');
  expect(await allocate(from, 48, 6)).toBe('2001:db8:782::/48');
  expect(await allocate(from, 56, 6)).toBe('2001:db8:781:100::/56');
  const one = { ...request(from, 6), kind: 'reserved' as const };
  const single = await test.db.transaction().execute((tx) => allocateAddress(tx, one));
  expect(single?.block).toBe('2001:db8:700::/64');
});

it('comes only from pools that are large enough', () => {
  const small = { slug: 's', cidr: '10.9.0.0/30', location: 'x', purpose: 'subnet' } as const;
  expect(blockPoolsOf([small], 'x', 4)).toEqual([]);
  expect(blockPoolsOf([pool('single')], `loc${nextPool}`, 4)).toEqual([]);
});
