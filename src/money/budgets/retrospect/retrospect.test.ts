import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { append } from '../../../kernel/audit/store.ts';
import { newId } from '../../../kernel/ids.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { spend } from '../../../testing/spent-money.ts';
import type { Declaration } from '../budget.ts';
import { insertBudget } from '../store.ts';
import { newBudgetId } from '../write-budget.ts';
import { lookBack } from './retrospect.ts';

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account, { name: 'ci' });
});

interface Call {
  readonly action?: string;
  readonly outcome?: 'succeeded' | 'accepted' | 'rejected';
  readonly as?: string;
  readonly resourceId?: string;
}

async function called(
  at: string,
  { action = 'createWidget', outcome = 'succeeded', as, resourceId }: Call = {},
) {
  await append(app.services.db, account.id, {
    id: newId('audit_entry'),
    occurred_at: new Date(at).toISOString(),
    actor: { kind: 'api_key', api_key_id: as ?? key.id, member_id: null, name: 'ci' },
    client_ip: null,
    user_agent: null,
    source: 'api',
    action,
    resource: resourceId === undefined ? null : { type: 'widget', id: resourceId, name: 'w' },
    outcome,
    http_status: 201,
    problem_code: null,
    request_id: null,
    operation_id: null,
    approval_operation_id: null,
    changes: [],
  });
}

const now = new Date('2026-03-20T00:00:00Z');
const budget = {
  amount: '100.00',
  currency: 'EUR',
  scope: { families: null, label_selector: null, api_key_ids: null },
  thresholds: [{ percent: 80, basis: 'actual' as const }],
  action: 'block_new_cost' as const,
  blocks: 'spent' as const,
  emails: [],
  description: '',
};
let serial = 0;
/** A budget is stored first, because the meter keeps sums of its own for a label selector. */
const refused = async (change: Partial<Declaration> = {}) => {
  const { db } = app.services;
  const named = { id: newBudgetId(), accountId: account.id, name: `b-${++serial}`, period: '2026-03' };
  const row = await insertBudget(db, named, { ...budget, ...change });
  return (await lookBack(db, app.registry, account.id, row, now)).map(({ detail }) => detail);
};
const spentOn = (at: string, amount = '100.00') =>
  spend(app.services.db, account.id, amount, { at: new Date(at), apiKeyId: key.id });

it('the retrospect names the calls after the amount was reached, in each month, for 30 days', async () => {
  await spentOn('2026-02-10T00:00:00Z');
  await spentOn('2026-03-10T12:00:00Z', '60.00');
  await spentOn('2026-03-11T12:00:00Z', '40.00');
  for (const at of [
    '2026-02-17T00:00:00.000Z',
    '2026-02-20T00:00:00.000Z',
    '2026-03-02T00:00:00.000Z',
    '2026-03-11T12:00:00.000Z',
    '2026-03-11T12:00:00.001Z',
    '2026-03-19T00:00:00.000Z',
  ])
    await called(at);
  expect(await refused()).toEqual([
    'createWidget by ci at 2026-02-20T00:00:00.000Z',
    'createWidget by ci at 2026-03-11T12:00:00.001Z',
    'createWidget by ci at 2026-03-19T00:00:00.000Z',
  ]);
  expect(await refused({ amount: '100.01' })).toEqual([]);
  expect(await refused({ action: 'notify' })).toEqual([]);
});

it('the retrospect names only accepted calls that raise cost within the scope', async () => {
  await spentOn('2026-03-01T00:00:00Z');
  const other = await createKey(app.services.db, account);
  await called('2026-03-05T00:00:00Z', { outcome: 'rejected' });
  await called('2026-03-06T00:00:00Z', { action: 'updateWidget' });
  await called('2026-03-07T00:00:00Z', { as: other.id });
  await called('2026-03-08T00:00:00Z', { outcome: 'accepted' });
  expect(await refused()).toHaveLength(2);
  expect(await refused({ scope: { ...budget.scope, api_key_ids: [key.id] } })).toEqual([
    'createWidget by ci at 2026-03-08T00:00:00.000Z',
  ]);
  expect(await refused({ scope: { ...budget.scope, families: ['storage'] } })).toEqual([]);
});

it('the retrospect uses the labels of created resources, also of deleted ones', async () => {
  await spend(app.services.db, account.id, '100.00', {
    at: new Date('2026-03-01T00:00:00Z'),
    labels: { env: 'prod' },
  });
  const { resource_id: resourceId } = await app.services.db
    .selectFrom('meter_spans')
    .select('resource_id')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow();
  await called('2026-03-05T00:00:00Z', { resourceId });
  await called('2026-03-06T00:00:00Z');
  const scope = { ...budget.scope, label_selector: 'env=prod' };
  expect(await refused({ scope })).toEqual(['createWidget by ci at 2026-03-05T00:00:00.000Z']);
});

it('the retrospect names the first 20 calls, and says if there are more', async () => {
  await spentOn('2026-03-01T00:00:00Z');
  for (let day = 1; day <= 21; day++) await called(new Date(Date.UTC(2026, 2, 5, day)).toISOString());
  const told = await refused();
  expect([told.length, told[20]]).toEqual([21, expect.stringContaining('More calls than these 20')]);
});

it('setBudget warns with the retrospect, in its dry run and in its answer', async () => {
  const call = (query: string) =>
    app.call({
      method: 'PUT',
      url: `/account/v1/budgets/cap${query}`,
      payload: { amount: '1.00', thresholds: [{ percent: 80 }], action: 'block_new_cost' },
      key: key.key,
    });
  await spend(app.services.db, account.id, '1.00');
  const made = await app.call({
    method: 'POST',
    url: '/workshop/v1/widgets',
    payload: { name: 'w', size: 1 },
    key: key.key,
  });
  const dry = (await call('?dry_run=true')).json();
  expect(dry).toMatchObject({ dry_run: true, effects: [{ action: 'create', type: 'budget', name: 'cap' }] });
  expect(dry.warnings).toMatchObject([
    {
      code: 'would_have_been_refused',
      detail: expect.stringContaining(String(made.headers['x-request-id'])),
      pointer: '/amount',
    },
  ]);
  const real = await call('');
  expect(real.statusCode).toBe(201);
  expect(JSON.parse(String(real.headers['hostplane-warnings']))).toEqual(dry.warnings);
});
