import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nothingDone } from '../kernel/call.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { newBudgetId } from '../money/budgets/write-budget.ts';
import { readLater } from '../store/send-later.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { untilWaiting } from '../testing/portal.ts';
import { spend } from '../testing/spent-money.ts';
import { budget } from './budget.ts';

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

interface Given {
  readonly amount?: string;
  readonly action?: 'notify' | 'block_new_cost';
  readonly scope?: object;
  readonly blocks?: 'spent' | 'forecast';
}

/** Inserts the budget directly, because the API accepts no budget for the families of these tests. */
async function addBudget({ amount = '100.00', action = 'block_new_cost', scope = {}, blocks }: Given = {}) {
  const id = newBudgetId();
  const whole = { families: null, label_selector: null, api_key_ids: null };
  await app.services.db
    .insertInto('budgets')
    .values({
      id,
      account_id: account.id,
      name: `b-${id.slice(-8)}`,
      amount,
      currency: 'EUR',
      scope: { ...whole, ...scope },
      thresholds: sql`${JSON.stringify([{ percent: 80, basis: 'actual' }])}::jsonb`,
      action,
      ...(blocks === undefined ? {} : { blocks }),
      emails: [],
      description: '',
      period: new Date().toISOString().slice(0, 7),
    })
    .execute();
  return id;
}

/** The monthly price of a widget of size 1. */
const PRICE = '0.44';

let serial = 0;
async function create(labels: Record<string, string> = {}, as: TestKey = key) {
  const payload = { name: `w-${++serial}`, size: 1, labels };
  const response = await app.call({ method: 'POST', url: '/workshop/v1/widgets', payload, key: as.key });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

const widgets = async (): Promise<number> =>
  (await app.services.db.selectFrom('widgets').select('id').where('account_id', '=', account.id).execute())
    .length;

describe('the budget stage', () => {
  it('lets calls pass while there is room, and refuses them from the last cent on', async () => {
    const { db } = app.services;
    const id = await addBudget({ blocks: 'spent' });
    expect((await create()).status).toBe(201);
    await spend(db, account.id, '99.00');
    expect((await create()).status).toBe(201);
    await spend(db, account.id, '1.00');
    const refused = await create();
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'budget_exceeded', budget_id: id, amount: '100.00', retryable: false },
    });
    expect(await widgets()).toBe(2);
  });

  it('waits for checks that the handler deferred, also in a call without cost', async () => {
    const exchange = { caller: { account, key } } as unknown as Exchange;
    const quota = (used: number) =>
      app.services.db.transaction().execute(async (tx) => {
        const { rows } = await readLater(tx, sql<{ used: number }>`select ${used}::int as used`);
        const check = rows.then(([row]) => {
          if (row?.used !== 1) throw new Problem('quota_exceeded', { detail: 'Too many.' });
        });
        await budget(tx, exchange, app.services, { ...nothingDone(), checks: [check] });
      });
    await expect(quota(1)).resolves.toBeUndefined();
    await expect(quota(2)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it('lets calls pass if the budget only notifies', async () => {
    await addBudget({ action: 'notify' });
    await spend(app.services.db, account.id, '500.00');
    expect((await create()).status).toBe(201);
  });

  it('counts and refuses by family', async () => {
    await addBudget({ scope: { families: ['storage'] } });
    await spend(app.services.db, account.id, '100.00', { family: 'storage' });
    expect((await create()).status).toBe(201);
    await addBudget({ scope: { families: ['storage', 'workshop'] } });
    expect((await create()).status).toBe(409);
  });

  it('counts and refuses by label', async () => {
    await addBudget({ scope: { label_selector: 'env=prod' } });
    await spend(app.services.db, account.id, '100.00', { labels: { env: 'prod' } });
    expect((await create({ env: 'test' })).status).toBe(201);
    expect((await create()).status).toBe(201);
    expect((await create({ env: 'prod' })).status).toBe(409);
  });

  it('counts and refuses by key', async () => {
    const agent = await createKey(app.services.db, account);
    await addBudget({ scope: { api_key_ids: [agent.id] } });
    await spend(app.services.db, account.id, '100.00', { apiKeyId: agent.id });
    expect((await create()).status).toBe(201);
    expect((await create({}, agent)).status).toBe(409);
  });

  it('ignores what other accounts spend', async () => {
    await addBudget();
    const other = await createAccount(app.services.db);
    await spend(app.services.db, other.id, '1000.00');
    expect((await create()).status).toBe(201);
  });

  it('names the budget with the least room', async () => {
    await addBudget({ amount: '90.00' });
    const strictest = await addBudget({ amount: '10.00' });
    await addBudget({ amount: '50.00' });
    await spend(app.services.db, account.id, '95.00');
    expect((await create()).body).toMatchObject({ budget_id: strictest, amount: '10.00' });
  });
});

describe('a budget that blocks on the forecast', () => {
  it('refuses a call that does not fit beside running resources, and shows the sum', async () => {
    const budget_id = await addBudget({ amount: '4.00' });
    await spend(app.services.db, account.id, '3.00');
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(201);
    const { status, body } = await create();
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'budget_exceeded', budget_id })]);
    expect(body).toMatchObject({ amount: '4.00', committed: '3.88', requested: PRICE });
    expect(body['detail']).toMatch(
      /^The budget \S+ is \S+ EUR a month\. Spent so far: \S+\. Committed for the whole month: 3\.88\. Still left: \S+\. This call would add \S+ a month\.$/,
    );
    expect(await widgets()).toBe(2);
  });

  it('says in an estimate which budget is exceeded, before the call is made', async () => {
    const budget_id = await addBudget({ amount: PRICE });
    const items = [{ resource_type: 'volume', configuration: { location: 'fra1', size_gb: 10 } }];
    const estimate = async () =>
      (
        await app.call({
          method: 'POST',
          url: '/account/v1/pricing/estimate',
          payload: { items },
          key: key.key,
        })
      ).json().exceeds_budgets;
    expect(await estimate()).toEqual([]);
    expect((await create()).status).toBe(201);
    expect(await estimate()).toMatchObject([
      { budget_id, amount: PRICE, committed: PRICE, requested: PRICE },
    ]);
  });

  it('says in a dry run what the call leaves of the tightest budget, also of those that only notify', async () => {
    const tightest = async (labels = {}) =>
      (
        await app.call({
          method: 'POST',
          url: '/workshop/v1/widgets?dry_run=true',
          payload: { name: 'foreseen', size: 1, labels },
          key: key.key,
        })
      ).json().tightest_budget;
    expect(await tightest()).toBeNull();
    await addBudget({ amount: '100.00' });
    const budget_id = await addBudget({ amount: '10.00', action: 'notify' });
    await addBudget({ amount: '1.00', scope: { label_selector: 'env=prod' } });
    expect(await tightest()).toMatchObject({ budget_id, amount: '10.00', left: '9.56' });
    expect(await tightest({ env: 'prod' })).toMatchObject({ amount: '1.00', left: '0.56' });
    expect((await create()).status).toBe(201);
    expect(await tightest()).toMatchObject({ budget_id, left: '9.12' });
  });

  it('has room again after a resource is deleted', async () => {
    await addBudget({ amount: PRICE });
    const { body } = await create();
    expect((await create()).status).toBe(409);
    const url = `/workshop/v1/widgets/${body['id']}`;
    expect((await app.call({ method: 'DELETE', url, key: key.key })).statusCode).toBe(204);
    expect((await create()).status).toBe(201);
  });

  it.each(['family', 'label', 'key'])('counts by %s', async (by) => {
    const agent = await createKey(app.services.db, account);
    const scopes = {
      family: { families: ['workshop'] },
      label: { label_selector: 'env=prod' },
      key: { api_key_ids: [agent.id] },
    };
    await addBudget({ amount: PRICE, scope: scopes[by as keyof typeof scopes] });
    if (by !== 'family') {
      expect((await create({ env: 'test' })).status).toBe(201);
      expect((await create({ env: 'test' })).status).toBe(201);
    }
    expect((await create({ env: 'prod' }, agent)).status).toBe(201);
    expect((await create({ env: 'prod' }, agent)).status).toBe(409);
  });
});

describe('many concurrent calls', () => {
  it('with room for one: exactly one passes', async () => {
    await addBudget({ amount: '0.87' });
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => create()));
    expect(outcomes.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(outcomes.filter(({ body }) => body['code'] === 'budget_exceeded')).toHaveLength(29);
    expect(await widgets()).toBe(1);
  });

  it('with several budgets: no deadlock, and none passes once all is spent', async () => {
    const { db } = app.services;
    for (const amount of ['100.00', '200.00', '300.00']) await addBudget({ amount });
    const first = await Promise.all(Array.from({ length: 50 }, () => create()));
    expect(first.filter(({ status }) => status === 201)).toHaveLength(50);
    await spend(db, account.id, '100.00');
    const second = await Promise.all(Array.from({ length: 50 }, () => create()));
    expect(second.filter(({ status }) => status === 409)).toHaveLength(50);
    expect(await widgets()).toBe(50);
  });

  it('that wait for a budget see what was spent meanwhile', async () => {
    const { db } = app.services;
    const id = await addBudget();
    const waiting = await db.transaction().execute(async (tx) => {
      await tx.selectFrom('budgets').select('id').where('id', '=', id).forUpdate().execute();
      const calls = Promise.all(Array.from({ length: 5 }, () => create()));
      await untilWaiting(tx, 5);
      await spend(tx, account.id, '100.00');
      return { calls };
    });
    const outcomes = await waiting.calls;
    expect(outcomes.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(await widgets()).toBe(0);
  });
});
