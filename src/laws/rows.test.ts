import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { fill } from './rows.ts';
import { createWorld, endpoints, listParams } from './walk.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

const listOf = (id: string) => endpoints.find((endpoint) => endpoint.id === id)!;

it('a collection that cannot be filled fails the tests that read it, and no others', async () => {
  const world = await createWorld(app);
  const permissions = [
    'workshop:widgets:*',
    'workshop:orders:read',
    'flexible-vps:*:*',
    'account:*:*',
    'support:*:*',
  ];
  const narrow = { ...world, key: await createKey(app.services.db, world.account, { permissions }) };
  await fill(narrow, 1, 'mark');
  await expect(listParams(listOf('listOrders'), narrow)).rejects.toThrow('createOrder 403');
  await expect(listParams(listOf('listOrderMessages'), narrow)).rejects.toThrow('createOrder 403');
  expect(await listParams(listOf('listWidgets'), narrow)).toEqual({});
  const rows = await app.services.db
    .selectFrom('widgets')
    .selectAll()
    .where('account_id', '=', world.account.id)
    .execute();
  expect(rows).toHaveLength(1);
});
