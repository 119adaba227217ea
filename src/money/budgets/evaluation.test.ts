import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faultsOf } from '../../kernel/validation.ts';
import { openDatabase, openPool } from '../../store/database.ts';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { untilWaiting } from '../../testing/portal.ts';
import { spend } from '../../testing/spent-money.ts';
import type { Threshold } from './budget.ts';
import { budgetEvaluation, evaluateBudgets } from './evaluation.ts';
import { findBudgets, insertBudget, removeBudget } from './store.ts';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await sql`delete from budgets`.execute(app.services.db);
  account = await createAccount(app.services.db);
});

const MARCH = new Date('2026-03-10T00:00:00Z');
const APRIL = new Date('2026-04-01T00:00:30Z');

let serial = 0;
function add(thresholds: readonly Threshold[], action: 'notify' | 'block_new_cost' = 'notify') {
  const id = `bud_${String(++serial).padStart(26, '0')}`;
  const named = { id, accountId: account.id, name: `cap-${serial}`, period: '2026-03' };
  return insertBudget(app.services.db, named, {
    amount: '100.00',
    currency: 'EUR',
    scope: { families: null, label_selector: null, api_key_ids: null },
    thresholds,
    action,
    blocks: 'forecast',
    emails: [],
    description: '',
  });
}

const spendInMarch = (amount: string) =>
  spend(app.services.db, account.id, amount, { at: new Date('2026-03-01T00:00:00Z') });

async function events(of: TestAccount = account) {
  const rows = await app.services.db
    .selectFrom('events')
    .select(['type', 'severity', 'data', 'message', 'actor', 'resource_name', 'family'])
    .where('account_id', '=', of.id)
    .orderBy('sequence')
    .execute();
  for (const { type, data } of rows) {
    const declared = app.registry.eventTypes.get(type);
    expect(declared && faultsOf(declared.data, data)).toEqual([]);
  }
  return rows;
}

const told = async (of: TestAccount = account) => (await events(of)).map(({ type }) => type);
const actual = (percent: number): Threshold => ({ percent, basis: 'actual' });

describe('the evaluation of budgets', () => {
  it('writes one event for each threshold, and one when the budget is used up', async () => {
    await add([actual(50), actual(80)], 'block_new_cost');
    await evaluateBudgets(app.services, MARCH);
    expect(await told()).toEqual([]);
    await spendInMarch('60.00');
    await evaluateBudgets(app.services, MARCH);
    await evaluateBudgets(app.services, MARCH);
    expect(await events()).toMatchObject([
      {
        type: 'budget.threshold_crossed',
        severity: 'warning',
        family: 'account',
        resource_name: `cap-${serial}`,
        actor: { kind: 'system' },
        data: { percent: 50, basis: 'actual', spent: '60.00', amount: '100.00', period: '2026-03' },
        message: `Budget cap-${serial} reached 50 % of 100.00 EUR: 60.00 EUR were spent.`,
      },
    ]);
    await spendInMarch('45.00');
    await evaluateBudgets(app.services, MARCH);
    await evaluateBudgets(app.services, MARCH);
    expect(await told()).toEqual(['budget.threshold_crossed', 'budget.threshold_crossed', 'budget.exceeded']);
    expect((await events()).at(-1)).toMatchObject({
      severity: 'error',
      data: { action: 'block_new_cost', spent: '105.00' },
    });
  });

  it('writes an event for a forecast before it comes true', async () => {
    const { db } = app.services;
    await add([{ percent: 100, basis: 'forecast' }]);
    await sql`insert into meter_readings (account_id, resource_id, sku, day, family, type, labels, unit, read_at,
        quantity_micros, billable_micros, cost_micros)
      values (${account.id}, ${account.id}, 'traffic.out', '2026-03-05', 'workshop', 'widget', '{}', 'gb',
        '2026-03-05T00:00:00Z', 1, 1, 40000000)`.execute(db);
    await evaluateBudgets(app.services, MARCH);
    expect(await events()).toMatchObject([
      {
        type: 'budget.threshold_crossed',
        data: { percent: 100, basis: 'forecast', spent: '40.00' },
        message: expect.stringContaining('the month is going to cost'),
      },
    ]);
  });

  it('starts again with each month, with one event if a threshold had been crossed', async () => {
    await add([actual(50)]);
    await spendInMarch('100.00');
    await evaluateBudgets(app.services, MARCH);
    const quiet = await createAccount(app.services.db);
    const loud = account;
    account = quiet;
    await add([actual(50)]);
    await evaluateBudgets(app.services, APRIL);
    await evaluateBudgets(app.services, APRIL);
    expect((await told(loud)).slice(2)).toEqual(['budget.reset']);
    expect((await events(loud)).at(-1)).toMatchObject({ data: { period: '2026-04', spent: '0.00' } });
    expect(await told(quiet)).toEqual([]);
    const [budget] = await findBudgets(app.services.db, loud.id, '2026-04');
    expect(budget).toMatchObject({ period: '2026-04', crossed: [], version: 1 });
    expect(await findBudgets(app.services.db, loud.id, '2026-03')).toMatchObject([{ crossed: [] }]);
  });

  it('by several processes at the same time writes each event once', async () => {
    await add([actual(50)]);
    await add([actual(60)]);
    await spendInMarch('100.00');
    await Promise.all(Array.from({ length: 6 }, () => evaluateBudgets(app.services, MARCH)));
    expect((await told()).sort()).toEqual([
      'budget.exceeded',
      'budget.exceeded',
      'budget.threshold_crossed',
      'budget.threshold_crossed',
    ]);
    await Promise.all(Array.from({ length: 6 }, () => evaluateBudgets(app.services, APRIL)));
    expect((await told()).slice(4)).toEqual(['budget.reset', 'budget.reset']);
  });

  it('writes no event for a budget that was changed meanwhile', async () => {
    const { db } = app.services;
    const { id } = await add([actual(50)]);
    await spendInMarch('60.00');
    const { evaluated } = await db.transaction().execute(async (tx) => {
      await sql`update budgets set scope = jsonb_set(scope, '{families}', '["storage"]'), version = version + 1
        where id = ${id}`.execute(tx);
      const running = evaluateBudgets(app.services, MARCH);
      await untilWaiting(tx, 1);
      return { evaluated: running };
    });
    await evaluated;
    await evaluateBudgets(app.services, MARCH);
    expect(await told()).toEqual([]);
  });

  it('goes on with the other accounts when one cannot be evaluated', async () => {
    const broken = await add([actual(50)]);
    const { db } = app.services;
    await sql`update budgets set scope = '{"families": null, "label_selector": "((", "api_key_ids": null}'
      where id = ${broken.id}`.execute(db);
    account = await createAccount(db);
    await add([actual(50)]);
    await spendInMarch('50.00');
    await evaluateBudgets(app.services, MARCH);
    expect(await told()).toEqual(['budget.threshold_crossed']);
    expect(app.logged.some((line) => line.includes('budgets were not evaluated'))).toBe(true);
    await removeBudget(db, broken.id);
  });

  it('needs one query if there are no budgets', async () => {
    const queries: string[] = [];
    const db = openDatabase(openPool(app.database.connection), {
      log: ({ query }) => void queries.push(query.sql),
    });
    await budgetEvaluation.run({ ...app.services, db });
    await db.destroy();
    expect(queries).toHaveLength(1);
  });

  it('is scheduled once a minute', () => {
    expect(app.registry.schedules).toContain(budgetEvaluation);
    expect(budgetEvaluation.everySeconds).toBe(60);
  });
});
