import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { createAccount, createKey, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';

let app: TestApp;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
  key = await createKey(app.services.db, await createAccount(app.services.db));
});
afterAll(() => app.close());

const url = '/account/v1/budgets/agents';
const budget = {
  amount: '100.00',
  scope: { families: ['flexible-vps'] },
  thresholds: [{ percent: 80 }],
  action: 'block_new_cost',
};

/** Each sentence, with `!` before those that loosen. */
async function foreseen(method: 'PUT' | 'DELETE', payload?: object): Promise<string[]> {
  const answer = await app.call({
    method,
    url: `${url}?dry_run=true`,
    ...(payload === undefined ? {} : { payload }),
    key: key.key,
  });
  expect(answer.statusCode, answer.body).toBe(200);
  const { changes } = answer.json<{ changes: ForeseenChange[] }>();
  return changes.map(({ text, loosens }) => `${loosens ? '! ' : ''}${text}`);
}

it('a dry run says in which way a budget becomes looser, and in which way stricter', async () => {
  expect(await foreseen('PUT', budget)).toEqual(['creates the budget "agents"']);
  expect((await app.call({ method: 'PUT', url, payload: budget, key: key.key })).statusCode).toBe(201);
  expect(await foreseen('PUT', budget)).toEqual([]);
  const other = {
    amount: '250.00',
    scope: { label_selector: 'team=a' },
    thresholds: [{ percent: 50, basis: 'forecast' }],
    blocks: 'spent',
  };
  expect((await foreseen('PUT', other)).sort()).toEqual(
    [
      '! raises the budget "agents" from 100.00 to 250.00 a month',
      'the budget "agents" covers all product families',
      '! the budget "agents" covers only cost with the labels "team=a"',
      '! the budget "agents" no longer warns at 80 % of the cost so far',
      'the budget "agents" warns at 50 % of the forecast',
      '! the budget "agents" no longer blocks new cost and only notifies',
      '! the budget "agents" no longer looks ahead and blocks only after its amount is spent',
    ].sort(),
  );
  expect(await foreseen('PUT', { ...budget, amount: '50.00' })).toEqual([
    'lowers the budget "agents" from 100.00 to 50.00 a month',
  ]);
  expect(await foreseen('DELETE')).toEqual([
    'deletes the budget "agents"',
    '! the budget "agents" no longer limits costs or warns of them',
  ]);
});
