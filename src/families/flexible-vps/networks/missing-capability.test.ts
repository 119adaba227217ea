import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../engines/compute/port.ts';
import { createAccount, createKey, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import type { Network } from './schema.ts';

let app: TestApp;
let key: TestKey;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
  key = await createKey(app.services.db, await createAccount(app.services.db));
});
afterAll(() => app.close());

const createAs = (key: TestKey, ipv4_cidr: string, location = 'fra1') =>
  app.call({
    method: 'POST',
    url: '/flexible-vps/v1/networks',
    key: key.key,
    payload: { name: `net-${++serial}`, location, ipv4_cidr },
  });

async function created(ipv4_cidr: string): Promise<Network> {
  const answer = await createAs(key, ipv4_cidr);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return answer.json<Network>();
}

async function whereEngineLacks(lacks: Partial<Capabilities>, work: () => Promise<void>): Promise<void> {
  const engine = app.services.compute.at('fra1') as { capabilities: Capabilities };
  const { capabilities } = engine;
  engine.capabilities = { ...capabilities, ...lacks };
  try {
    await work();
  } finally {
    engine.capabilities = capabilities;
  }
}

describe('a new network on an engine with fewer capabilities', () => {
  it('409: is refused if the engine has no private networks', () =>
    whereEngineLacks({ privateNetworks: 'No private network connects its servers.' }, async () => {
      const answer = await createAs(key, '10.1.0.0/24');
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toMatchObject({
        code: 'capability_missing',
        capability: 'privateNetworks',
        detail: 'No private network connects its servers.',
      });
    }));

  it('409: gets no routes to IPv6 destinations if the engine has none', async () => {
    const { id, ipv6_cidr } = await created('10.8.0.0/24');
    const next_hop = ipv6_cidr?.replace('::/64', '::9');
    const route = (destination: string, next_hop: string | undefined) =>
      app.call({
        method: 'PATCH',
        url: `/flexible-vps/v1/networks/${id}`,
        key: key.key,
        payload: { routes: [{ destination, next_hop }] },
      });
    await whereEngineLacks({ ipv6Routes: 'Only IPv4 here.' }, async () => {
      const answer = await route('2001:db8:99::/48', next_hop);
      expect(answer.statusCode, answer.body).toBe(409);
      expect(answer.json()).toMatchObject({ code: 'capability_missing', capability: 'ipv6Routes' });
      expect((await route('10.99.0.0/16', '10.8.0.9')).statusCode).toBe(202);
    });
    await settle(app);
    expect((await route('2001:db8:99::/48', next_hop)).statusCode).toBe(202);
    await settle(app);
  });

  describe('where networks cannot have overlapping addresses', () => {
    const lacks = { overlappingNetworks: 'No two networks here overlap.' };
    let stranger: TestKey;
    beforeAll(async () => {
      stranger = await createKey(app.services.db, await createAccount(app.services.db));
    });

    it('409: cannot have the addresses of another account, of which nothing is shown', () =>
      whereEngineLacks(lacks, async () => {
        const there = await created('172.16.0.0/20');
        const answer = await createAs(stranger, '172.16.3.0/24');
        expect(answer.statusCode).toBe(409);
        expect(answer.json()).toMatchObject({
          code: 'address_taken',
          detail:
            'No two networks here overlap. Addresses of 172.16.3.0/24 are in use by another network: choose another range.',
        });
        expect(answer.body).not.toContain(there.id);
        expect((await createAs(stranger, '172.16.16.0/20')).statusCode).toBe(202);
        expect((await createAs(stranger, '172.16.0.0/20', 'ams1')).statusCode).toBe(202);
        await settle(app);
      }));

    it('409: is refused for one of two accounts that ask for the same addresses at the same time', () =>
      whereEngineLacks(lacks, async () => {
        const answers = await Promise.all([key, stranger].map((each) => createAs(each, '172.17.0.0/24')));
        expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 409]);
        await settle(app);
      }));

    it('can have the addresses of a network whose creation failed', () =>
      whereEngineLacks(lacks, async () => {
        const there = await created('172.18.0.0/24');
        await app.services.db
          .updateTable('vps_networks')
          .set({ status: 'error' })
          .where('id', '=', there.id)
          .execute();
        expect((await createAs(stranger, '172.18.0.0/24')).statusCode).toBe(202);
        await settle(app);
      }));
  });
});
