import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';

let t: TestApp;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  t = await createTestApp({
    provider: (config) => ({
      ...config,
      catalogue: {
        ...config.catalogue,
        limits: [
          ...config.catalogue.limits,
          {
            id: 'workshop.widgets',
            name: 'Widgets',
            unit: 'widgets',
            limit: 10,
            scope: 'location',
            raisable: true,
            maximum_on_request: null,
          },
        ],
      },
    }),
  });
  account = await createAccount(t.services.db);
  key = (await createKey(t.services.db, account)).key;
  const widgets = [
    { name: 'cheap', size: 1, labels: { env: 'prod', role: 'web' } },
    { name: 'dear', size: 9, labels: { env: 'prod', role: 'db' } },
    { name: 'middle', size: 5, labels: { env: 'test' } },
  ];
  for (const payload of widgets) await t.call({ method: 'POST', url: '/workshop/v1/widgets', key, payload });
});
afterAll(() => t.close());

const list = async (query: string, by = key) =>
  (await t.call({ url: `/account/v1/resources?${query}`, key: by })).json();
const names = async (query: string): Promise<string[]> =>
  (await list(query)).data.map((row: { name: string }) => row.name);

describe('listResources', () => {
  it('200: sorts by time, name and price', async () => {
    expect(await names('')).toEqual(['cheap', 'dear', 'middle']);
    expect(await names('sort=-name')).toEqual(['middle', 'dear', 'cheap']);
    expect(await names('sort=-price.monthly')).toEqual(['dear', 'middle', 'cheap']);
  });

  it('200: finds parts of names and ids, and addresses of this account alone', async () => {
    const [first] = (await list('name=cheap')).data;
    expect(await names('q=EA')).toEqual(['cheap', 'dear']);
    expect(await names(`q=${first.id.slice(6).toUpperCase()}`)).toEqual(['cheap']);
    expect(await names('q=nothing')).toEqual([]);
    expect(await names('q=%25')).toEqual([]);
    const address = { pool: 'test', location: 'fra1', kind: 'reserved' } as const;
    const rows = [
      { id: 'ip_ofcheap', account_id: account.id, vm_id: first.id, block: '203.0.113.77/32' },
      { id: 'ip_ofcheap6', account_id: account.id, vm_id: first.id, block: '2001:db8:7:1::/64' },
    ];
    await t.services.db.transaction().execute(async (tx) => {
      // The machine of the addresses is a widget here.
      await sql`set local session_replication_role = replica`.execute(tx);
      await tx
        .insertInto('public_addresses')
        .values(rows.map((row) => ({ ...address, name: row.id, ...row })))
        .execute();
    });
    for (const q of ['203.0.113.77', '203.0.113.', '2001:DB8:7:1::', '2001:db8:7:1:0:0:0:9'])
      expect([q, await names(`q=${q}`)]).toEqual([q, ['cheap']]);
    expect(await names('q=203.0.113.78')).toEqual([]);
    const stranger = await createAccount(t.services.db);
    const theirs = (await createKey(t.services.db, stranger)).key;
    expect((await list('q=203.0.113.77', theirs)).data).toEqual([]);
  });

  it('200: filters by labels, name, place, status and ids', async () => {
    const [first] = (await list('name=cheap')).data;
    expect(await names('label_selector=env%3Dprod')).toEqual(['cheap', 'dear']);
    expect(await names('label_selector=env%3Dprod,role%20in%20(db,cache)')).toEqual(['dear']);
    expect(await names('label_selector=!role')).toEqual(['middle']);
    expect(await names('location=fra1&status=ready&type=widget')).toHaveLength(3);
    expect(await names('location=ams1')).toEqual([]);
    expect(await names(`ids=${first.id}`)).toEqual(['cheap']);
    expect(first).toMatchObject({
      type: 'widget',
      href: `https://api.example.test/workshop/v1/widgets/${first.id}`,
      price: { hourly: '0.000603', monthly: '0.44', currency: 'EUR' },
    });
  });

  it('200: names the resource types that the key may not read in `omitted`', async () => {
    const narrow = (await createKey(t.services.db, account, { permissions: ['account:*:read'] })).key;
    expect(await list('', narrow)).toMatchObject({
      data: [],
      omitted: expect.arrayContaining([
        { family: 'workshop', resource_type: 'widget', missing_permission: 'workshop:widgets:read' },
        { family: 'workshop', resource_type: 'machine', missing_permission: 'workshop:machines:read' },
      ]),
    });
    expect((await list('')).omitted).toEqual([]);
  });
});

describe('listLimits', () => {
  const limits = async (query: string) =>
    (await t.call({ url: `/account/v1/limits?${query}`, key })).json().data;

  it('200: counts existing resources, per location if the limit is per location', async () => {
    const rows = (await limits('limit=200')).filter((row: { id: string }) => row.id === 'workshop.widgets');
    expect(rows.find((row: { location: string }) => row.location === 'fra1')).toMatchObject({
      used: 3,
      limit: 10,
    });
    expect(rows.find((row: { location: string }) => row.location === 'ams1')).toMatchObject({ used: 0 });
  });

  it('200: shows limits granted to the account instead of the default, and filters by used_percent_min', async () => {
    await t.services.db
      .insertInto('account_limits')
      .values({ account_id: account.id, limit_id: 'workshop.widgets', value: 4 })
      .execute();
    const [row] = await limits('used_percent_min=70&location=fra1');
    expect(row).toMatchObject({ id: 'workshop.widgets', limit: 4, used: 3 });
  });
});
