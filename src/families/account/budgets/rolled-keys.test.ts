import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rollKey } from '../../../portal-api/keys/roll.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { rules, staff } from '../../../testing/portal.ts';
import { spend } from '../../../testing/spent-money.ts';

let app: TestApp;
let account: TestAccount;
let first: TestKey;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  first = await createKey(app.services.db, account);
});

async function roll(key_id: string): Promise<{ readonly id: string; readonly key: string }> {
  const input = { account_id: account.id, key_id, overlap: '24h' as const };
  const { key, secret } = await rollKey(app.services.db, staff, input, rules);
  return { id: key.id, key: secret };
}

const declare = (key: string, ids: readonly string[], more: object = {}) =>
  app.call({
    method: 'PUT',
    url: '/account/v1/budgets/agents',
    key,
    payload: {
      amount: '10.00',
      scope: { api_key_ids: ids },
      thresholds: [{ percent: 80 }],
      action: 'block_new_cost',
      blocks: 'spent',
      ...more,
    },
  });

const create = async (key: string): Promise<string> => {
  const payload = { name: `w-${Math.random().toString(36).slice(2)}`, size: 1 };
  const answer = await app.call({ method: 'POST', url: '/workshop/v1/widgets', key, payload });
  return answer.json().code ?? String(answer.statusCode);
};

const budget = async (key: string) =>
  (await app.call({ url: '/account/v1/budgets?name=agents', key })).json().data[0];

describe('the budget of a key that is rolled, and rolled again', () => {
  it('counts what each key of the chain spends, and blocks all of them', async () => {
    await declare(first.key, [first.id]);
    const second = await roll(first.id);
    const third = await roll(second.id);
    const other = await createKey(app.services.db, account);
    expect(await create(third.key)).not.toBe('budget_exceeded');
    await spend(app.services.db, account.id, '4.00', { apiKeyId: first.id });
    await spend(app.services.db, account.id, '3.00', { apiKeyId: second.id });
    await spend(app.services.db, account.id, '3.00', { apiKeyId: third.id });
    await spend(app.services.db, account.id, '5.00', { apiKeyId: other.id });
    expect((await budget(third.key)).spent).toBe('10.00');
    const outcomes = [];
    for (const { key } of [first, second, third]) outcomes.push(await create(key));
    expect(outcomes).toEqual(['budget_exceeded', 'budget_exceeded', 'budget_exceeded']);
    expect(await create(other.key)).not.toBe('budget_exceeded');
  });

  it('counts what the old key spent even if only the new key is named', async () => {
    const second = await roll(first.id);
    await spend(app.services.db, account.id, '10.00', { apiKeyId: first.id });
    expect((await declare(second.key, [second.id])).json()).toMatchObject({ spent: '10.00' });
    expect(await create(second.key)).toBe('budget_exceeded');
  });

  it('shows the declared keys unchanged, and all counted keys separately, so that Terraform sees no drift', async () => {
    await declare(first.key, [first.id]);
    const before = await budget(first.key);
    const second = await roll(first.id);
    const after = await budget(second.key);
    expect(after).toEqual({ ...before, counted_api_key_ids: [first.id, second.id] });
    const repeated = await app.call({
      method: 'PUT',
      url: '/account/v1/budgets/agents?dry_run=true',
      key: second.key,
      payload: {
        amount: '10.00',
        scope: { api_key_ids: [first.id] },
        thresholds: [{ percent: 80 }],
        action: 'block_new_cost',
        blocks: 'spent',
      },
    });
    expect(repeated.json().effects).toEqual([]);
    const { rows } = await sql`select scope from budgets where account_id = ${account.id}`.execute(
      app.services.db,
    );
    expect(rows).toEqual([{ scope: { families: null, label_selector: null, api_key_ids: [first.id] } }]);
  });

  it('may name the new key instead of the old one, which loosens nothing', async () => {
    await declare(first.key, [first.id]);
    await app.services.db
      .updateTable('budgets')
      .set({ locked: true })
      .where('account_id', '=', account.id)
      .execute();
    const second = await roll(first.id);
    const other = await createKey(app.services.db, account);
    expect((await declare(second.key, [second.id])).statusCode).toBe(200);
    expect((await declare(second.key, [other.id])).json().code).toBe('portal_only');
  });
});
