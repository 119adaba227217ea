/**
 * A budget with `block_new_cost` refuses calls that add cost, including dry runs, and no other calls: all of them when
 * it is used up, and before that those whose monthly price does not fit into what is left.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Micro, micro } from '../kernel/micro.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import type { Endpoint } from '../kernel/record.ts';
import { formatMoney } from '../money/prices/format.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { spend } from '../testing/spent-money.ts';
import { outcomeOf } from './responses.ts';
import { accountTables, allRowsOf } from './rows.ts';
import { sample } from './sample.ts';
import {
  createWorld,
  endpoints,
  paramsFor,
  requestTo,
  type WalkRequest,
  type World,
  writes,
} from './walk.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

const dear = writes.filter(({ raisesCost }) => raisesCost === true);
const free = writes.filter(({ raisesCost }) => raisesCost !== true);

async function useUp({ account, key }: World, budget: object = {}): Promise<void> {
  const payload = { amount: '5', thresholds: [{ percent: 100 }], action: 'block_new_cost', ...budget };
  const url = '/account/v1/budgets/used-up';
  const declared = await app.call({ method: 'PUT', url, payload, key: key.key });
  expect(declared.statusCode).toBe(201);
  await spend(app.services.db, account.id, '5.01', { apiKeyId: key.id });
}

/** Prepares a call on resources that are created before the budget is used up. */
async function prepare(
  endpoint: Endpoint,
): Promise<{ world: World; request: WalkRequest; dry: WalkRequest }> {
  const world = await createWorld(app);
  const params = await paramsFor(endpoint, world);
  const request = await requestTo(endpoint, world, { params });
  const separator = request.url.includes('?') ? '&' : '?';
  return { world, request, dry: { ...request, url: `${request.url}${separator}dry_run=true` } };
}

async function stateOf(world: World): Promise<unknown> {
  const tables = (await accountTables(world)).filter((table) => !table.startsWith('audit_'));
  return allRowsOf(world, tables);
}

describe('409: a call that adds cost is refused while the budget is used up', () => {
  it('at least one endpoint is tested', () => {
    expect(dear.length).toBeGreaterThan(0);
  });

  it.each(sample(dear))('$id', async (endpoint) => {
    const { world, request, dry } = await prepare(endpoint);
    await useUp(world, { scope: { api_key_ids: [world.key.id] } });
    const before = await stateOf(world);
    for (const attempt of [request, dry]) {
      const response = await app.call({ ...attempt, key: world.key.key });
      expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, '409 budget_exceeded']);
      expect(response.json()).toMatchObject({
        budget_id: expect.stringMatching(/^bud_/),
        amount: '5.00',
        spent: '5.01',
        requested: expect.stringMatching(/^\d+\.\d\d$/),
      });
    }
    expect(await stateOf(world)).toEqual(before);
    const url = '/account/v1/budgets/used-up';
    expect((await app.call({ method: 'DELETE', url, key: world.key.key })).statusCode).toBe(204);
    expect((await app.call({ ...request, key: world.key.key })).statusCode).toBeLessThan(300);
  });
});

async function declare({ key }: World, amount: Micro): Promise<void> {
  const payload = {
    amount: formatMoney(amount),
    thresholds: [{ percent: 100 }],
    action: 'block_new_cost',
    scope: { api_key_ids: [key.id] },
  };
  const url = '/account/v1/budgets/ahead';
  const declared = await app.call({ method: 'PUT', url, payload, key: key.key });
  expect(declared.statusCode).toBeLessThan(300);
}

describe('409: a call that does not fit into the budget beside the committed cost', () => {
  it.each(sample(dear))('$id fits to the cent, and not a second time', async (endpoint) => {
    const { world, request, dry } = await prepare(endpoint);
    const call = (attempt: WalkRequest) => app.call({ ...attempt, key: world.key.key });
    await declare(world, micro('0.01'));
    const { committed, requested } = (await call(dry)).json<{ committed: string; requested: string }>();
    const needed = micro(committed) + micro(requested);
    await declare(world, needed - micro('0.01'));
    for (const attempt of [dry, request]) {
      expect([endpoint.id, outcomeOf(await call(attempt))]).toEqual([endpoint.id, '409 budget_exceeded']);
    }
    await declare(world, needed);
    for (const attempt of [dry, request]) {
      expect([endpoint.id, (await call(attempt)).statusCode < 300]).toEqual([endpoint.id, true]);
    }
    // The operation, if any, has not ended, so the meter does not know the cost yet.
    const again = await requestTo(endpoint, world);
    expect([endpoint.id, outcomeOf(await call(again))]).toEqual([endpoint.id, '409 budget_exceeded']);
  });
});

describe('other calls pass: existing resources can always be changed, stopped and deleted', () => {
  it.each(sample(free))('$id', async (endpoint) => {
    const { world, request, dry } = await prepare(endpoint);
    await useUp(world);
    for (const attempt of [dry, request]) {
      const response = await app.call({ ...attempt, key: world.key.key });
      expect([endpoint.id, response.statusCode < 300]).toEqual([endpoint.id, true]);
    }
  });
});

it('budget_exceeded is declared by exactly the endpoints that can answer with it', () => {
  const declaring = endpoints.filter((endpoint) => possibleProblems(endpoint).includes('budget_exceeded'));
  const raising = writes.filter(({ raisesCost }) => raisesCost !== undefined);
  expect(declaring.map(({ id }) => id)).toEqual(raising.map(({ id }) => id));
});
