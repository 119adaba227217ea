/**
 * A blocking budget with room for exactly one call is never exceeded, also if an operation ends while the next call is
 * being checked. The end of an operation moves its cost from the pending costs to the meter; a check that reads the two
 * at different moments finds it in neither.
 *
 * The end is not left to chance: the statements of the second call are held at the one place where it does harm, after
 * the first statement that follows the lock on the budgets.
 */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessCache } from '../kernel/access/cache.ts';
import { micro } from '../kernel/micro.ts';
import type { Endpoint } from '../kernel/record.ts';
import { formatMoney } from '../money/prices/format.ts';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { costCasesOf, costRequest, dryRunOf } from './cost-cases.ts';
import { outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import { createWorld, type WalkRequest, type World, writes } from './walk.ts';

let app: TestApp;
/** A server whose statements can be held. */
let held: FastifyInstance;
let holding: Db;
/** Whether the budgets were just locked: the next statement reads what is spent. */
let isLocked = false;
let atGap: (() => Promise<void>) | null = null;

async function hold(text: string): Promise<void> {
  const isGap = isLocked;
  isLocked = /from "?budgets\b.*for update/s.test(text);
  if (!isGap || atGap === null) return;
  const end = atGap;
  atGap = null;
  await end();
}

beforeAll(async () => {
  app = await createTestApp();
  holding = openDatabase(openPool(app.database.connection), { log: ({ query }) => hold(query.sql) });
  const access = new AccessCache(holding, app.registry);
  access.up();
  held = createServer({ ...app.services, db: holding, access });
});
afterAll(async () => {
  await holding.destroy();
  await app.close();
});

const DECLARED = '/account/v1/budgets/room-for-one';

async function declare({ key }: World, amount: string): Promise<void> {
  const payload = {
    amount,
    thresholds: [{ percent: 100 }],
    action: 'block_new_cost',
    scope: { api_key_ids: [key.id] },
  };
  expect((await app.call({ method: 'PUT', url: DECLARED, payload, key: key.key })).statusCode).toBeLessThan(
    300,
  );
}

/** Prepares a request that costs something, and one just like it. Fails if the endpoint has none. */
async function twoThatCost(endpoint: Endpoint, world: World): Promise<[WalkRequest, WalkRequest]> {
  const call = (request: WalkRequest) => app.call({ ...request, key: world.key.key });
  for (const each of costCasesOf(endpoint)) {
    const first = await costRequest(each, world);
    await settle(app);
    await declare(world, '0.01');
    const isDear = outcomeOf(await call(dryRunOf(first))) === '409 budget_exceeded';
    // What the second request needs may cost something, too.
    await call({ method: 'DELETE', url: DECLARED });
    if (isDear) return [first, await costRequest(each, world)];
  }
  throw new Error(`No request that the fixtures know costs anything: is raisesCost of ${endpoint.id} right?`);
}

const raising = writes.filter(({ raisesCost }) => raisesCost !== undefined);

it.each(sample(raising))(
  '$id is refused while the operation of the call before it ends',
  async (endpoint) => {
    const world = await createWorld(app);
    const call = (request: WalkRequest) => app.call({ ...request, key: world.key.key });
    const [first, second] = await twoThatCost(endpoint, world);
    await settle(app);
    await declare(world, '0.01');
    const { committed, requested } = (await call(dryRunOf(first))).json<Record<string, string>>();
    await declare(world, formatMoney(micro(committed ?? '') + micro(requested ?? '')));
    expect([endpoint.id, (await call(first)).statusCode < 300]).toEqual([endpoint.id, true]);

    let hasEnded = false;
    atGap = async () => {
      await settle(app);
      hasEnded = true;
    };
    const headers = { 'x-api-key': world.key.key };
    const answer = await held.inject({ ...second, headers, remoteAddress: freshAddress() });
    expect([endpoint.id, hasEnded, outcomeOf(answer)]).toEqual([endpoint.id, true, '409 budget_exceeded']);
  },
);

it('calls that always cost something and calls that sometimes do are tested', () => {
  expect(new Set(raising.map(({ raisesCost }) => raisesCost))).toEqual(new Set([true, 'sometimes']));
});
