/** Compares the sums of the meter with what `accrual.ts` computes from the spans one by one. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Micro, sum } from '../../../kernel/micro.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { ledger, moment } from '../../../testing/ledgers.ts';
import { figuresOf, loadsOf } from '../../budgets/figures.ts';
import { newBudgetId } from '../../budgets/write-budget.ts';
import { partsOf } from '../accrual.ts';
import { monthOf } from '../calendar.ts';
import { reportUsage } from '../report/report.ts';
import type { Ledger, Span } from '../span.ts';
import { commitmentsOn, forecastOf, spentOn } from '../spent.ts';
import { addSpan, endSpan } from '../store.ts';
import { type Grouping, groupings, groupUsage } from '../usage.ts';
import { foldMeter } from './folding.ts';
import { findDifferences, recount } from './store.ts';

/** Each run writes an account, so there are few. */
const RUNS = { numRuns: 8, endOnFailure: true };

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

/** Writes the spans as the meter does: each is open first. */
async function write(spans: readonly Span[], accountId: string): Promise<void> {
  const { db } = app.services;
  for (const { startedAt, endedAt, ...span } of spans) {
    const made = { name: 'r', pricedAs: span.type, configuration: {}, startedAt: new Date(startedAt) };
    const resourceId = `${accountId}-${span.resourceId}`;
    const { id } = await addSpan(db, { ...span, ...made, accountId, resourceId });
    if (endedAt !== null) await endSpan(db, id, new Date(endedAt));
  }
}

async function accountWith(spans: readonly Span[]): Promise<string> {
  const { id } = await createAccount(app.services.db);
  await write(spans, id);
  return id;
}

/** Sums are rounded once, and parts one by one: they may differ by one millionth for each part. */
function near(actual: Micro, expected: Micro, parts: number): boolean {
  const difference = actual - expected;
  return (difference < 0n ? -difference : difference) <= BigInt(parts);
}

async function addBudget(accountId: string, selector: string | null): Promise<string> {
  const id = newBudgetId();
  const scope = { families: null, label_selector: selector, api_key_ids: null };
  await app.services.db
    .insertInto('budgets')
    .values({
      id,
      account_id: accountId,
      name: `b-${id.slice(-8)}`,
      amount: '1.00',
      currency: 'EUR',
      scope: JSON.stringify(scope) as never,
      thresholds: JSON.stringify([]) as never,
      action: 'notify',
      emails: [],
      description: '',
      period: '2024-01',
    })
    .execute();
  return id;
}

const labelled = ({ spans, readings }: Ledger, env: string | null): Ledger => ({
  readings,
  spans: env === null ? spans : spans.filter(({ labels }) => labels['env'] === env),
});

const periods = fc
  .tuple(moment, moment)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ from: new Date(Math.min(a, b)), to: new Date(Math.max(a, b)) }));

async function compareUsage(accountId: string, of: Ledger, period: { from: Date; to: Date }): Promise<void> {
  const parts = [...partsOf(of, { from: period.from.getTime(), to: period.to.getTime(), byDay: true })]
    .length;
  const askedFor = groupings.flatMap((by) => (by === 'day' ? [by] : [by, `${by} by day`]));
  for (const by of askedFor) {
    const [name = '', byDay] = by.split(' ');
    const grouping: Grouping = {
      by: name as Grouping['by'],
      labelKey: name === 'label' ? 'env' : undefined,
      byDay: byDay !== undefined,
    };
    const expected = await groupUsage(of, period, grouping);
    const page = { limit: 1000, after: null };
    const actual = await reportUsage(app.services.db, accountId, period, grouping, page, period.to);
    const costs = actual.groups.map(({ cost }) => cost);
    expect([by, sum(costs)]).toEqual([by, actual.fixed]);
    expect([by, actual.fixed, near(actual.fixed, expected.fixed, parts)]).toEqual([by, actual.fixed, true]);
    // Their ids in the database are longer.
    if (name === 'resource') continue;
    const places = new Map(expected.groups.map(({ key, cost }) => [JSON.stringify(key), cost]));
    for (const { key, cost } of actual.groups) {
      const place = JSON.stringify(key);
      expect([by, place, cost, near(cost, places.get(place) ?? -1n, parts + 1)]).toEqual([
        by,
        place,
        cost,
        true,
      ]);
    }
    expect([by, actual.groups.length]).toEqual([by, expected.groups.length]);
  }
}

async function compareBudgets(
  accountId: string,
  of: Ledger,
  now: Date,
  ids: readonly string[],
): Promise<void> {
  const month = monthOf(now);
  // What began or ended later is not known yet; the meter has it, because these spans are of the past.
  const known = { ...of, spans: of.spans.filter(({ startedAt }) => startedAt < month.to.getTime()) };
  const scopes = [null, 'prod'];
  const budgets = ids.map((id, i) => ({
    id,
    scope: { families: null, label_selector: scopes[i] ? `env=${scopes[i]}` : null, api_key_ids: null },
  }));
  const loads = await loadsOf(app.services.db, accountId, budgets, now, null);
  const figures = await figuresOf(app.services.db, accountId, budgets, now);
  for (const [i, env] of scopes.entries()) {
    const counts = ({ labels }: { labels: Readonly<Record<string, string>> }) =>
      env === null || labels['env'] === env;
    const selector =
      env === null ? {} : { selector: [{ operator: 'equals', key: 'env', value: env }] as const };
    const spent = spentOn(known, month, selector, now);
    const parts = labelled(of, null).spans.length * 4 + 1;
    expect([env, loads[i]?.spent, near(loads[i]?.spent ?? -1n, spent, parts)]).toEqual([
      env,
      loads[i]?.spent,
      true,
    ]);
    const { total } = forecastOf(known, month, selector, now);
    const forecast = figures[i]?.forecast;
    expect([env, forecast, near(forecast ?? -1n, total, parts)]).toEqual([env, forecast, true]);
    if (now.getTime() === month.to.getTime() - 1) {
      const committed = commitmentsOn(known, month, now)(counts, []);
      expect([env, 'committed', loads[i]?.committed]).toEqual([env, 'committed', committed]);
    }
  }
}

it('totals equal the spans, to the last millionth, in any period and grouping', async () => {
  await fc.assert(
    fc.asyncProperty(ledger, periods, async (of, period) => {
      const accountId = await accountWith(of.spans);
      expect(await findDifferences(app.services.db, accountId)).toEqual([]);
      await compareUsage(accountId, of, period);
      await foldMeter(app.services.db);
      expect(await findDifferences(app.services.db, accountId)).toEqual([]);
      await compareUsage(accountId, of, period);
    }),
    RUNS,
  );
}, 120_000);

it('totals equal the spans for budgets, with and without labels', async () => {
  await fc.assert(
    fc.asyncProperty(ledger, moment, fc.boolean(), async (of, at, isFirst) => {
      const { db } = app.services;
      const accountId = await accountWith(isFirst ? [] : of.spans);
      const ids = [await addBudget(accountId, null), await addBudget(accountId, 'env=prod')];
      if (isFirst) await write(of.spans, accountId);
      await foldMeter(db);
      const end = new Date(monthOf(new Date(at)).to.getTime() - 1);
      for (const now of [new Date(at), end]) await compareBudgets(accountId, of, now, ids);
      expect(await findDifferences(db, accountId)).toEqual([]);
    }),
    RUNS,
  );
}, 120_000);

it('changed totals are found, and are correct after they are computed again', async () => {
  const { db } = app.services;
  const [of] = fc.sample(
    ledger.filter(({ spans }) => spans.some(({ lines }) => lines.length > 0)),
    1,
  );
  const accountId = await accountWith(of?.spans ?? []);
  await foldMeter(db);
  await db.deleteFrom('meter_totals' as never).execute();
  expect(await findDifferences(db, accountId)).not.toEqual([]);
  await recount(db, accountId);
  expect(await findDifferences(db, accountId)).toEqual([]);
});
