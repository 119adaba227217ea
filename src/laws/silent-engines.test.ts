/**
 * Calls every endpoint while no engine answers. Each call must be answered with success or a problem that the endpoint
 * declares, and while calls wait for an engine they must hold no database connection, so that other customers are
 * served.
 */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addFault, listFaults } from '../engines/sandbox/store.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { openDatabase, openPool } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, requestTo, type WalkRequest, type World } from './walk.ts';

type Answer = { readonly statusCode: number; readonly code: string | undefined };

let app: TestApp;
let world: World;
let pool: pg.Pool;
let send: (world: World, request: WalkRequest) => Promise<Answer>;
const tried = sample(endpoints);
const pending = new Set<Promise<Answer>>();
const requests = new Map<string, WalkRequest>();
/** In arrays, because a promise that a test returns is awaited. */
const answers = new Map<string, Promise<Answer>[]>();

const begin = (request: WalkRequest, as = world): Promise<Answer> => {
  const answer = send(as, request);
  pending.add(answer);
  void answer.finally(() => pending.delete(answer));
  return answer;
};

const strikes = async () => (await listFaults(app.services.db))[0]?.struck ?? 0;

/** Begins the call, and waits until it is answered or waits for an engine. Then no connection is in use. */
async function expectNothingHeld(request: WalkRequest, as = world): Promise<Promise<Answer>[]> {
  const before = await strikes();
  const answer = begin(request, as);
  await vi.waitFor(
    async () => {
      if (!pending.has(answer)) return;
      expect(await strikes()).toBeGreaterThan(before);
      expect(pool.totalCount - pool.idleCount).toBe(0);
    },
    { timeout: 120_000, interval: 5 },
  );
  return [answer];
}

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  pool = openPool(app.database.connection);
  const db = openDatabase(pool);
  const server = createServer({ ...app.services, db });
  send = async ({ key }, request) => {
    const answer = await server.inject({
      remoteAddress: freshAddress(),
      ...request,
      headers: { 'x-api-key': key.key },
    });
    const isProblem = answer.headers['content-type'] === 'application/problem+json';
    return { statusCode: answer.statusCode, code: isProblem ? answer.json().code : undefined };
  };
  for (const endpoint of tried) requests.set(endpoint.id, await requestTo(endpoint, world));
  await addFault(app.services.db, { effect: { kind: 'hang' } });
});
afterAll(async () => {
  await Promise.allSettled(pending);
  await pool.end();
  await app.close();
});

describe('while every engine hangs', () => {
  it.each(tried.map(({ id }) => id))('%s holds no database connection while it waits', async (id) => {
    answers.set(id, await expectNothingHeld(requests.get(id)!));
    expect([...app.engineCallsInTransactions]).toEqual([]);
  });

  it.each(tried.map((endpoint) => [endpoint.id, endpoint] as const))(
    '%s answers with a declared problem',
    async (id, endpoint) => {
      const [answer] = await Promise.all(answers.get(id) ?? []);
      if (answer?.code === undefined) expect(answer?.statusCode).toBeLessThan(300);
      else expect(possibleProblems(endpoint)).toContain(answer.code);
      expect(answer?.code).not.toBe('internal_error');
    },
  );

  it('a third customer is served during twelve creates of two others', async () => {
    const [other, bystander] = [await createWorld(app), await createWorld(app)];
    const createVm = endpoints.find(({ id }) => id === 'createVm')!;
    const creates = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const as = i % 2 === 0 ? world : other;
        return { as, request: await requestTo(createVm, as) };
      }),
    );
    const first = await expectNothingHeld(creates[0]!.request);
    const others = creates.slice(1).map(({ as, request }) => begin(request, as));
    expect(await send(bystander, { method: 'GET', url: '/flexible-vps/v1/vms' })).toMatchObject({
      statusCode: 200,
    });
    for (const answer of await Promise.all([...first, ...others]))
      expect(answer).toMatchObject({ code: 'engine_unavailable' });
  });
});
