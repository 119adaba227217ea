/** The inventory finds what has an address or a range, or lies in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

interface Found {
  readonly id: string;
  readonly name: string;
}

let t: TestApp;
let customer: VpsAccount;

beforeAll(async () => {
  t = await createTestApp();
  customer = await VpsAccount.open(t);
});
afterAll(() => t.close());

const named = async (q: string, key = customer.key): Promise<string[]> => {
  const url = `/account/v1/resources?${new URLSearchParams({ q, sort: 'name' })}`;
  const answer = await t.call({ url, key });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ data: Found[] }>().data.map(({ name }) => name);
};

describe('an address', () => {
  beforeAll(async () => {
    await customer.do('POST', 'networks', { name: 'inner', location: 'fra1', ipv4_cidr: '10.20.0.0/24' });
    const outer = await customer.do<Found>('POST', 'networks', {
      name: 'outer',
      location: 'fra1',
      ipv4_cidr: '10.30.0.0/16',
      ipv6: true,
    });
    const vm = await customer.vm({ name: 'member' });
    await customer.do('POST', `vms/${vm.id}/interfaces`, { network_id: outer.id, ipv4: '10.30.4.5' });
  });

  it.each([
    ['10.20.0.0/24', ['inner']],
    ['10.20.0.77', ['inner']],
    ['10.20.', ['inner']],
    ['10.20.0.128/25', ['inner']],
    ['10.30.4.5', ['member', 'outer']],
    ['10.30.4.6', ['outer']],
    ['10.30.4.', ['member']],
    ['10.0.0.0/8', ['inner', 'member', 'outer']],
    ['10.40.0.0/24', []],
    ['10.20.0.0/', ['inner']],
    ['10.20.0.0/99', ['inner']],
    ['10.20.0.0/24/7', []],
  ])('%s finds the networks and machines %j', async (q, expected) => {
    expect(await named(q)).toEqual(expected);
  });

  it('of IPv6 finds the network that contains it', async () => {
    const { data } = (await customer.send('GET', 'networks?name=outer')).json<{
      data: { ipv6_cidr: string }[];
    }>();
    const range = data[0]!.ipv6_cidr;
    const prefix = range.split('/')[0]!;
    expect(await named(range.toUpperCase())).toContain('outer');
    expect(await named(`${prefix}abcd`)).toEqual(['outer']);
  });

  it('finds nothing of other accounts, and nothing that the key may not read', async () => {
    const stranger = await VpsAccount.open(t);
    expect(await named('10.20.0.77', stranger.key)).toEqual([]);
    const narrow = await createKey(t.services.db, customer.account, {
      permissions: ['account:resources:read', 'flexible-vps:vms:read'],
    });
    expect(await named('10.30.4.5', narrow.key)).toEqual(['member']);
  });
});
