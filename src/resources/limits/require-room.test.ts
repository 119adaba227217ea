import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

describe('a limit', () => {
  it('that is nearly reached is told of at four fifths, once, and not by a dry run', async () => {
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
    expect(await told()).toEqual([{ limit_id: 'account.budgets', location: null, limit: 20, used: 16 }]);
  });
});
