/** Counts the database queries of a call to each endpoint. The access cache is warm unless the test says otherwise. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AccessCache } from '../kernel/access/cache.ts';
import { rateLimitResult } from '../kernel/rate-limit/port.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Services } from '../kernel/services.ts';
import { openDatabase, openPool } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createAccount, createKey, createMember } from '../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { exemptFrom } from './exemptions.ts';
import { forgeKey } from './forged-keys.ts';
import { outcomeOf } from './responses.ts';
import { fill } from './rows.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, lists, paramNames, requestTo, urlOf, type World } from './walk.ts';

let app: TestApp;
let one: World;
let many: World;
/** The services of the app, with a database that records every query of the pipeline and the handlers. */
let counted: Services;
let server: FastifyInstance;
/** The same server, but every client address is over its rate limit. */
let tired: FastifyInstance;
const queries: string[] = [];

beforeAll(async () => {
  app = await createTestApp();
  one = await createWorld(app);
  many = await createWorld(app);
  await fill(one, 1, 'one');
  await fill(many, 50, 'many');
  const db = openDatabase(openPool(app.database.connection), {
    log: ({ query }) => void queries.push(query.sql),
  });
  const access = new AccessCache(db, app.registry);
  access.up();
  counted = { ...app.services, db, access };
  const limiter = {
    ...app.services.limiter,
    take: () => rateLimitResult(false, 200, 200, 1000),
  } as Services['limiter'];
  server = createServer(counted);
  tired = createServer({ ...counted, limiter });
});

afterAll(async () => {
  await counted.db.destroy();
  await app.close();
});

interface Sent {
  readonly method: Endpoint['method'];
  readonly url: string;
  readonly payload?: unknown;
}

/** Sends the same request twice and returns the queries of the second one. The first one warms the cache. */
async function costOf(request: Sent, headers: Record<string, string>, at = server) {
  const payload = request.payload as object;
  const send = () => at.inject({ ...request, payload, headers, remoteAddress: freshAddress() });
  await send();
  queries.length = 0;
  const response = await send();
  return { outcome: outcomeOf(response), response, queries: [...queries] };
}

const as = (world: World) => ({ 'x-api-key': world.key.key });

// The first test: every call from another address leaves a denial, and a hundred of them would fill the first page.
it('fifty rows of each list can be read', async () => {
  const other: string[] = [];
  for (const endpoint of lists) {
    const { url } = await requestTo(endpoint, many, { query: { limit: 50 } });
    const { data } = (await app.call({ url, key: many.key.key })).json<{ data: unknown[] }>();
    const isFilled = data.length === 50 && JSON.stringify(data).includes('many-');
    if (!isFilled) other.push(endpoint.id);
  }
  expect(other.sort()).toEqual(exemptFrom('listsOfRows'));
});

it('queries are counted: a key that is not cached costs two', async () => {
  const { key } = await createKey(app.services.db, one.account);
  queries.length = 0;
  const response = await server.inject({ url: '/account/v1/whoami', headers: { 'x-api-key': key } });
  expect([response.statusCode, queries.length]).toEqual([200, 2]);
});

it('an unknown key costs as many queries as a known key with a wrong secret, also later', async () => {
  const { publicId } = await createKey(app.services.db, one.account);
  const cost = async (id: string, laterMs: number) => {
    const headers = { 'x-api-key': forgeKey(id) };
    vi.spyOn(Date, 'now').mockReturnValue(start + laterMs);
    queries.length = 0;
    const response = await server.inject({
      url: '/account/v1/whoami',
      headers,
      remoteAddress: freshAddress(),
    });
    vi.restoreAllMocks();
    expect(outcomeOf(response)).toBe('401 api_key_invalid');
    return queries.map((query) => query.replaceAll(/\s+/g, ' '));
  };
  const start = Date.now();
  for (const laterMs of [0, 1, 30_000, 59_999, 60_001]) {
    expect(await cost('NeverIssued4', laterMs)).toEqual(await cost(publicId, laterMs));
  }
  expect(await cost('NeverIssued5', 0)).toHaveLength(2);
  expect(await cost('NeverIssued5', 0)).toEqual([]);
});

describe('a list needs as many queries for fifty rows as for one', () => {
  const page = async (endpoint: Endpoint, world: World) =>
    costOf(await requestTo(endpoint, world, { query: { limit: 50 } }), as(world));

  it.each(sample(lists))('$id', async (endpoint) => {
    const few = await page(endpoint, one);
    const full = await page(endpoint, many);
    expect([endpoint.id, few.outcome, full.outcome]).toEqual([endpoint.id, '200', '200']);
    expect([endpoint.id, full.queries]).toEqual([endpoint.id, few.queries]);
  });
});

describe('reading one resource needs one query', () => {
  const single = endpoints.filter(({ method, resource }) => method === 'GET' && resource.role === 'read');

  it.each(sample(single.filter((endpoint) => paramNames(endpoint).length > 0)))('$id', async (endpoint) => {
    const cost = await costOf(await requestTo(endpoint, one), as(one));
    expect([endpoint.id, cost.outcome, cost.queries.length]).toEqual([endpoint.id, '200', 1]);
  });

  it('documents without an id need at most one query too', async () => {
    const dear: string[] = [];
    for (const endpoint of single.filter((candidate) => paramNames(candidate).length === 0)) {
      const cost = await costOf(await requestTo(endpoint, one), as(one));
      expect([endpoint.id, cost.outcome]).toEqual([endpoint.id, '200']);
      if (cost.queries.length > 1) dear.push(endpoint.id);
    }
    expect(dear.sort()).toEqual(exemptFrom('oneQueryPerDocument'));
  });
});

describe('a refusal needs no query', () => {
  const refused: Record<string, Record<string, string>> = {};

  beforeAll(async () => {
    const { db } = app.services;
    const { account, key } = one;
    const guarded = await createAccount(db);
    await db.insertInto('ip_allowlists').values({ account_id: guarded.id, mode: 'enforce' }).execute();
    const billing = await createMember(db, account.id, 'billing');
    const closing = await createAccount(db, { status: 'closing' });
    const shut = async (overrides: Parameters<typeof createKey>[2], of = account) => ({
      'x-api-key': (await createKey(db, of, overrides)).key,
    });
    Object.assign(refused, {
      'no key': {},
      bearer: { authorization: `Bearer ${key.key}` },
      malformed: { 'x-api-key': 'hpk1_short' },
      'unknown key': { 'x-api-key': forgeKey('NeverIssued3') },
      'wrong secret': { 'x-api-key': forgeKey(key.publicId) },
      expired: await shut({ expires_at: new Date(0) }),
      suspended: await shut({ status: 'suspended' }),
      revoked: await shut({ status: 'revoked' }),
      'permission missing': await shut({ permissions: [] }),
      'role too low': await shut({ owner_id: billing }),
      'account closing': await shut({}, closing),
      'address not allowed': await shut({}, guarded),
    });
  });

  it.each(sample(endpoints))('$id', async (endpoint) => {
    const request = { method: endpoint.method, url: urlOf(endpoint, endpoint.example.params) };
    const statuses = new Set<string>();
    const attempts = Object.entries(refused).map(([name, headers]) => ({ name, headers, at: server }));
    for (const { name, headers, at } of [
      ...attempts,
      { name: 'no request left', headers: as(one), at: tired },
    ]) {
      const cost = await costOf(request, headers, at);
      const status = cost.outcome.slice(0, 3);
      // Some endpoints are open to every key or to a closing account, so not every attempt is refused.
      if (!['401', '403', '429'].includes(status)) continue;
      statuses.add(status);
      expect([endpoint.id, name, cost.queries]).toEqual([endpoint.id, name, []]);
    }
    expect([endpoint.id, [...statuses].sort()]).toEqual([endpoint.id, ['401', '403', '429']]);
  });
});
