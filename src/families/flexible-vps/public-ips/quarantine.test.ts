/** One account creates and deletes machines in a loop, in a location with few addresses. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcomeOf } from '../../../laws/responses.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

const ADDRESSES = 5;
const MACHINES = 2;

/** The pool of fra1 has five addresses, and an account may have two machines. */
const narrow = (config: ProviderConfig): ProviderConfig => {
  const { address_pools, limits } = config.catalogue;
  return {
    ...config,
    catalogue: {
      ...config.catalogue,
      address_pools: address_pools.map((pool) =>
        pool.location === 'fra1' && pool.purpose === 'single' && !pool.cidr.includes(':')
          ? { ...pool, cidr: '203.0.113.0/29' }
          : pool,
      ),
      limits: limits.map((limit) =>
        limit.id === 'flexible-vps.vms' ? { ...limit, limit: MACHINES } : limit,
      ),
    },
  };
};

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ provider: narrow });
});
afterAll(() => t.close());

async function addressesOutOfStock(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from public_addresses
    where location = 'fra1' and family(block) = 4 and (account_id is not null or quarantined_until > now())`.execute(
    t.services.db,
  );
  return rows[0]?.count ?? 0;
}

it('it takes no more addresses than its machines may have, and the others still get theirs', async () => {
  const attacker = await VpsAccount.open(t);
  const seen = new Set<string | null>();
  for (let round = 0; round < ADDRESSES; round++) {
    const vms = [await attacker.vm(), await attacker.vm()];
    for (const { id, primary_ipv4 } of vms) {
      seen.add(primary_ipv4);
      await attacker.do('DELETE', `vms/${id}`);
    }
  }
  expect(seen.size).toBe(MACHINES);
  expect(await addressesOutOfStock()).toBe(MACHINES);

  const bystanders = [await VpsAccount.open(t), await VpsAccount.open(t)];
  const theirs: (string | null)[] = [];
  for (const bystander of bystanders) theirs.push((await bystander.vm()).primary_ipv4);
  theirs.push((await bystanders[0]!.vm()).primary_ipv4);
  expect(theirs.filter((address) => address === null || seen.has(address))).toEqual([]);

  // Only the quarantine of the attacker is left, which is nobody else's.
  const refused = await bystanders[1]!.send('POST', 'vms', {
    name: 'one-more',
    location: 'fra1',
    plan: 'flex-2-4',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
  });
  expect(outcomeOf(refused)).toBe('409 capacity_unavailable');
  expect(seen.has((await attacker.vm()).primary_ipv4)).toBe(true);
});
