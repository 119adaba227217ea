/**
 * What a write changes about the bill is known before it happens: the dry run, the check of a budget and the question
 * to a person name the difference between what the meter bills now and what it bills once the operation has ended.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { micro, most, sum } from '../kernel/micro.ts';
import type { Endpoint } from '../kernel/record.ts';
import { pricePlan } from '../money/future/price-plan.ts';
import { futureOf } from '../money/future/store.ts';
import { isRunning, readLines } from '../money/metering/line.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import { costMark } from '../surfaces/openapi/cost-mark.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { costCasesOf, costRequest, dryRunOf } from './cost-cases.ts';
import { countDifferences } from './count-agreement.ts';
import { meterDifferences } from './meter-agreement.ts';
import { outcomeOf } from './responses.ts';
import { aboutAll, sample } from './sample.ts';
import { createWorld, endpoints, type WalkRequest, type World, writes } from './walk.ts';

let app: TestApp;
let world: World;
/** A key that asks a person before each call that raises the cost. */
let frugal: TestKey;
/** A key that asks a person before each write. */
let held: TestKey;

beforeAll(async () => {
  app = await createTestApp({ works: false });
});
// Each case has an account of its own: a bill takes longer with everything that the account ever had.
beforeEach(async () => {
  world = await createWorld(app);
  frugal = await createKey(app.services.db, world.account, { approval_over_monthly: '0' });
  held = await createKey(app.services.db, world.account, { approval: 'writes' });
});
afterAll(() => app.close());

/** What the meter and the inventory say that a month and an hour of the account cost now, with what schedules plan. */
async function bill(): Promise<Record<'metered' | 'monthly' | 'hourly', bigint>> {
  const { db } = app.services;
  const spans = await db
    .selectFrom('meter_spans')
    .select('lines')
    .where('account_id', '=', world.account.id)
    .where('ended_at', 'is', null)
    .execute();
  const metered = sum(
    spans.flatMap(({ lines }) => readLines(lines).filter(isRunning)).map(({ monthly }) => monthly),
  );
  const listed = await db
    .selectFrom('resources')
    .select(['type', 'is_stopped', 'price_hourly_micros', 'price_monthly_micros'])
    .where('account_id', '=', world.account.id)
    .execute();
  const stopped = listed.filter(({ is_stopped }) => is_stopped).map(({ type }) => type);
  expect(stopped.filter((type) => !app.registry.resourceTypes.get(type)?.stops)).toEqual([]);
  const monthly = sum(listed.map((row) => BigInt(row.price_monthly_micros ?? 0)));
  expect(monthly, 'the inventory and the meter agree').toBe(metered);
  expect(await meterDifferences(app, [world.account.id]), 'the totals and the spans agree').toEqual([]);
  expect(await countDifferences(app, [world.account.id]), 'the counts of limits and the rows agree').toEqual(
    [],
  );
  const planned = pricePlan(app.services.tariff, await futureOf(db, world.account.id), new Date());
  const hourly = sum(listed.map((row) => BigInt(row.price_hourly_micros ?? 0)));
  return { metered, monthly: monthly + planned.monthly, hourly: hourly + planned.hourly };
}

const call = (request: WalkRequest, { key }: TestKey) => app.call({ ...request, key });

const dry = (request: WalkRequest): Promise<LightMyRequestResponse> => call(dryRunOf(request), world.key);

interface Priced {
  readonly href: string;
  readonly price: unknown;
  readonly price_running: unknown;
  readonly price_stopped: unknown;
}

interface Cost {
  readonly hourly: string;
  readonly monthly: string;
}

/** The cost that a person sees who is asked about the call. Withdraws the question: a key may ask only so many. */
async function askedAbout(answer: LightMyRequestResponse): Promise<Cost> {
  expect(outcomeOf(answer)).toBe('409 approval_required');
  const { cost } = await app.services.db
    .deleteFrom('approvals')
    .where('operation_id', '=', answer.json<{ operation_id: string }>().operation_id)
    .returning('cost')
    .executeTakeFirstOrThrow();
  return cost;
}

const FREE = '0.00';
const BUDGET = '/account/v1/budgets/law-of-the-bill';

/** What a blocking budget without room answers to a dry run. */
async function withoutRoom(request: WalkRequest): Promise<LightMyRequestResponse> {
  const payload = { amount: '0.01', thresholds: [{ percent: 100 }], action: 'block_new_cost' };
  expect((await call({ method: 'PUT', url: BUDGET, payload }, world.key)).statusCode).toBe(201);
  const answer = await dry(request);
  expect((await call({ method: 'DELETE', url: BUDGET }, world.key)).statusCode).toBe(204);
  return answer;
}

const changes: bigint[] = [];
/** Endpoints of which a dry run named a cost or a saving. */
const priced = new Set<string>();

/** The calls that change the bill are marked with `x-cost`, and no others. */
function expectMarked(endpoint: Endpoint, { hourly, monthly }: Cost): void {
  const change = micro(monthly) === 0n ? micro(hourly) : micro(monthly);
  if (change === 0n) return;
  priced.add(endpoint.id);
  const direction = change > 0n ? 'raises' : 'lowers';
  expect([direction, 'either'], 'x-cost').toContain(costMark(endpoint, endpoints));
}

/** A resource that can be stopped shows at its own address the prices that the inventory shows. */
async function expectOnePrice(): Promise<void> {
  const get = async (url: string) => (await call({ method: 'GET', url }, world.key)).json<Priced>();
  const { data } = (await get('/account/v1/resources?sort=-created_at&limit=5')) as unknown as {
    data: Priced[];
  };
  for (const { href, price, price_running, price_stopped } of data) {
    if (price_stopped === null) continue;
    const { price_running: running, price_stopped: stopped, ...own } = await get(new URL(href).pathname);
    expect([own.price, running, stopped], href).toEqual([price, price_running, price_stopped]);
  }
}

/** The warning of calls whose real cost is known only afterwards: their dry run names the most it can be. */
const AT_MOST = 'cost_follows_size';
/** Endpoints with that warning, and those among them whose call cost less than the dry run said. */
const warned = new Set<string>();
const cheaper = new Set<string>();

describe.each(sample(writes).flatMap(costCasesOf))('$title', (each) => {
  const { endpoint, settleIn } = each;

  it('changes the bill by the amount that the dry run shows', async () => {
    const request = await costRequest(each, world);
    await settle(app);
    const before = await bill();
    const preview = await dry(request);
    // The fixture brings every resource into every state, and some states do not allow the call.
    if (settleIn !== undefined && preview.statusCode === 409) return;
    expect(preview.statusCode, preview.body).toBe(200);
    const {
      cost: shown,
      exceeds_budgets,
      warnings,
    } = preview.json<{
      cost: Cost & { lines: unknown };
      exceeds_budgets: unknown;
      warnings: { code: string }[];
    }>();
    // What it consists of is computed with the sums; a request for approval has only them.
    const { lines: _, ...cost } = shown;
    expect(exceeds_budgets).toEqual([]);
    expect(await askedAbout(await call(request, held))).toEqual(cost);

    expectMarked(endpoint, cost);
    const isDear = micro(cost.monthly) > 0n;
    if (cost.monthly !== FREE) {
      const answer = await withoutRoom(request);
      if (isDear) expect(answer.json()).toMatchObject({ code: 'budget_exceeded', requested: cost.monthly });
      else expect(outcomeOf(answer)).toBe('200');
    }
    if (isDear) expect(endpoint.raisesCost, 'what the record says').toBeDefined();
    if (isDear) expect(await askedAbout(await call(request, frugal))).toEqual(cost);

    const done = await call(request, isDear ? world.key : frugal);
    expect(done.statusCode, done.body).toBeLessThan(300);
    await expectOnePrice();
    const during = await bill();
    await settle(app);
    await expectOnePrice();
    const after = await bill();
    expect(during.metered, 'while the operation runs').toBeLessThanOrEqual(
      most(before.metered, after.metered),
    );
    const change = after.monthly - before.monthly;
    changes.push(change);
    if (warnings.some(({ code }) => code === AT_MOST)) {
      warned.add(endpoint.id);
      if (change < micro(cost.monthly)) cheaper.add(endpoint.id);
      expect(change).toBeGreaterThanOrEqual(0n);
      expect(change).toBeLessThanOrEqual(micro(cost.monthly));
    } else
      expect({
        hourly: formatRate(after.hourly - before.hourly),
        monthly: formatMoney(change),
      }).toEqual({ hourly: cost.hourly, monthly: cost.monthly });
  });
});

it('dry runs are exact unless the call warns, and only calls with unforeseeable cost warn', ({ skip }) => {
  aboutAll(skip);
  expect([...warned].sort()).toEqual([...cheaper].sort());
  expect(warned.size).toBeGreaterThan(0);
});

it('every call with x-cost is tested with a request that changes its cost', ({ skip }) => {
  aboutAll(skip);
  const marked = writes.filter((endpoint) => costMark(endpoint, endpoints) !== undefined);
  expect([...priced].sort()).toEqual(marked.map(({ id }) => id).sort());
});

it('calls that add cost, save cost and are free are tested', ({ skip }) => {
  aboutAll(skip);
  expect(new Set(changes.map((change) => Math.sign(Number(change))))).toEqual(new Set([-1, 0, 1]));
});
