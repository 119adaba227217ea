import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { VpsAccount } from '../../testing/vps.ts';
import { requireRoom } from './require-room.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

describe('a limit', () => {
  it('writes one event at 80 percent, and none in a dry run', async () => {
    const account = await createAccount(t.services.db);
    const { key } = await createKey(t.services.db, account);
    const set = async (name: string, query = '') =>
      t.call({
        method: 'PUT',
        url: `/account/v1/budgets/${name}${query}`,
        key,
        payload: { amount: '5.00', thresholds: [{ percent: 100 }] },
      });
    const told = async () => {
      const response = await t.call({ url: '/account/v1/events?types=limit.*', key });
      return response.json<{ data: { data: unknown }[] }>().data.map(({ data }) => data);
    };
    for (let i = 0; i < 15; i++) expect((await set(`budget-${i}`)).statusCode).toBe(201);
    expect((await set('sixteenth', '?dry_run=true')).statusCode).toBe(200);
    expect(await told()).toEqual([]);
    for (const name of ['sixteenth', 'seventeenth', 'sixteenth']) await set(name);
    expect(await told()).toEqual([
      { limit_id: 'account.budgets', location: null, parent_id: null, limit: 20, used: 16 },
    ]);
  });

  it('of a parent resource writes its event with the parent', async () => {
    const vps = await VpsAccount.open(t);
    const vm = await vps.vm();
    for (let i = 0; i < 8; i++) await vps.do('POST', `vms/${vm.id}/snapshots`, { name: `s-${i}` });
    const told = await t.call({ url: '/account/v1/events?types=limit.*', key: vps.key });
    expect(told.json<{ data: { data: unknown }[] }>().data.map(({ data }) => data)).toEqual([
      { limit_id: 'flexible-vps.snapshots-per-vm', location: null, parent_id: vm.id, limit: 10, used: 8 },
    ]);
  });

  it('of machines lets exactly the allowed number of concurrent creates pass, and is checked before budgets', async () => {
    const vps = await VpsAccount.open(t);
    await t.services.db
      .insertInto('account_limits')
      .values({ account_id: vps.account.id, limit_id: 'flexible-vps.vms', value: 2 })
      .execute();
    const create = (name: string) =>
      vps.send('POST', 'vms', {
        name,
        location: 'fra1',
        plan: 'flex-1-1',
        source: { type: 'image', image_id: 'ubuntu-24.04' },
      });
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => create(`m-${name}`)));
    const refused = answers.filter(({ statusCode }) => statusCode === 409).map((each) => each.json());
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 202, 409, 409, 409]);
    for (const problem of refused)
      expect(problem).toMatchObject({ code: 'quota_exceeded', limit: 2, used: 2, requested: 1 });
    const full = { amount: '0.01', action: 'block_new_cost', thresholds: [{ percent: 100 }] };
    const budget = { method: 'PUT', url: '/account/v1/budgets/full', key: vps.key, payload: full } as const;
    expect((await t.call(budget)).statusCode).toBe(201);
    expect((await create('m-f')).json()).toMatchObject({ code: 'quota_exceeded' });
    const left = await vps.send('GET', 'vms');
    expect(left.json<{ data: unknown[] }>().data).toHaveLength(2);
  });

  it('per location counts only resources of that location', async () => {
    const limit = t.services.provider.catalogue.limits.find(({ id }) => id === 'flexible-vps.networks');
    const limits = [{ ...limit!, id: 'flexible-vps.networks', limit: 1, scope: 'location' as const }];
    const { provider } = t.services;
    const catalogue = { ...provider.catalogue, limits };
    const services = { ...t.services, provider: { ...provider, catalogue } };
    const vps = await VpsAccount.open(t);
    await vps.network({ location: 'hel1' });
    const ask = (location: string) =>
      requireRoom(
        { db: t.services.db, services, caller: { account: vps.account } as never, event: () => undefined },
        [{ limit: 'flexible-vps.networks', amount: 1, location }],
      );
    await expect(ask('fra1')).resolves.toBeUndefined();
    await expect(ask('hel1')).rejects.toMatchObject({ code: 'quota_exceeded', extra: { used: 1 } });
  });
});
