/** One account creates and deletes machines in a loop, in a location with few addresses. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcomeOf } from '../../../laws/responses.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

const ADDRESSES = 5;
const MACHINES = 2;
/** A location that has hosts with room, but no IPv4 addresses. */
const FULL = 'hel1';

/** The pool of fra1 has five addresses, and an account may have two machines. */
const narrow = (config: ProviderConfig): ProviderConfig => {
  const { address_pools, limits } = config.catalogue;
  return {
    ...config,
    catalogue: {
      ...config.catalogue,
      address_pools: address_pools
        .filter(({ location, cidr }) => location !== FULL || cidr.includes(':'))
        .map((pool) =>
          pool.location === 'fra1' && pool.purpose === 'single' && !pool.cidr.includes(':')
            ? { ...pool, cidr: '203.0.113.0/29' }
            : pool,
        ),
      limits: limits.map((limit) =>
        limit.id === 'flexible-vps.vms'
          ? { ...limit, limit: MACHINES }
          : limit.id === 'flexible-vps.public-ipv4'
            ? { ...limit, limit: MACHINES + 1 }
            : limit,
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

it('an account that creates and deletes machines holds only as many addresses as its limit, and others get theirs', async () => {
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

  // Only the quarantine of the attacker is left, which is nobody else's. Other locations are offered instead.
  const refused = await bystanders[1]!.send('POST', 'vms', {
    name: 'one-more',
    location: 'fra1',
    plan: 'flex-2-4',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
  });
  expect(outcomeOf(refused)).toBe('409 capacity_unavailable');
  expect(Number(refused.headers['retry-after'])).toBe(86_400);
  const { alternatives } = refused.json<{ alternatives: { location: string }[] }>();
  expect(alternatives.map(({ location }) => location)).not.toContain(FULL);
  expect(alternatives).not.toEqual([]);
  expect(seen.has((await attacker.vm()).primary_ipv4)).toBe(true);
});

it('409: released addresses in quarantine count towards the limit', async () => {
  const { db } = t.services;
  const vps = await VpsAccount.open(t);
  const location = 'ams1';
  const used = async () => {
    const answer = await t.call({ url: `/account/v1/limits?location=${location}`, key: vps.key });
    return answer
      .json<{ data: { id: string; used: number }[] }>()
      .data.find(({ id }) => id === 'flexible-vps.public-ipv4')?.used;
  };
  const first = await vps.vm({ location });
  const second = await vps.vm({ location });
  for (const { id } of [first, second]) await vps.do('DELETE', `vms/${id}`);
  expect(await used()).toBe(2);
  const order = () =>
    vps.send('POST', 'vms', {
      name: `m-${Math.random()}`.replace('.', ''),
      location,
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
    });
  // Other requests of the account hold its own addresses, so these two would take new ones.
  const answers = await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('public_addresses')
      .select('id')
      .where('former_account_id', '=', vps.account.id)
      .forUpdate()
      .execute();
    return [await order(), await order()];
  });
  expect(answers.map(outcomeOf)).toEqual(['202', '409 quota_exceeded']);
  expect(answers[1]?.json()).toMatchObject({ limit_id: 'flexible-vps.public-ipv4', limit: 3, used: 3 });
  expect(await used()).toBe(3);
});
