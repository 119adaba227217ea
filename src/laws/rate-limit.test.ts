/**
 * Each address has exactly 200 requests a minute, for all endpoints together and whatever their status. The limit is
 * checked before anything else, such as the key.
 */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryRateLimit } from '../kernel/rate-limit/memory.ts';
import { RedisRateLimit } from '../kernel/rate-limit/redis.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { openExchange } from '../surfaces/http/exchange.ts';
import { createServer } from '../surfaces/http/server.ts';
import { serveSystem } from '../surfaces/http/system.ts';
import { serveOpenapi } from '../surfaces/openapi/routes.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { findRedis, NO_REDIS, startRedis } from '../testing/redis.ts';
import { expectWellFormed, likeness, outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, probeOf, type World } from './walk.ts';

const LIMIT = 200;
const WHOAMI = '/account/v1/whoami';

let clock = 0;
let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp({ limiter: new MemoryRateLimit({ now: () => clock }) });
  world = await createWorld(app);
});

afterAll(() => app.close());

type Call = InjectOptions & { key?: string };

/** The remaining requests, from the RateLimit header of the answer. */
const left = ({ headers }: LightMyRequestResponse): number =>
  Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

/** Counts requests directly in the limiter, as the pipeline does for each request. */
async function fill(address: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await app.services.limiter.take(address);
}

/** Sends requests from this address without a key, which is the cheapest request. */
async function spend(address: string, times: number, on: TestApp = app): Promise<void> {
  for (let i = 0; i < times; i++) await on.call({ url: WHOAMI, remoteAddress: address });
}

function expectRefusal(response: LightMyRequestResponse, seconds?: number): void {
  expect(outcomeOf(response)).toBe('429 rate_limited');
  expectWellFormed('429', response);
  const wait = Number(response.headers['retry-after']);
  expect([Number.isInteger(wait), wait >= 1, wait <= 60]).toEqual([true, true, true]);
  if (seconds !== undefined) expect(wait).toBe(seconds);
  expect(response.headers['ratelimit']).toBe(`"ip";r=0;t=${wait}`);
  expect(response.json()).toMatchObject({ retry_after_seconds: wait, retryable: true });
  expect(response.headers['www-authenticate']).toBeUndefined();
}

function unconnected(response: LightMyRequestResponse): unknown {
  const { headers, ...rest } = likeness(response) as { headers: Record<string, string> };
  const { connection: _, ...others } = headers;
  return { ...rest, headers: others };
}

describe.each(sample(endpoints))('$id', (endpoint) => {
  it('accepts request 200 of an address and refuses request 201', async () => {
    const remoteAddress = freshAddress();
    const request: Call = { ...probeOf(endpoint), remoteAddress, key: world.key.key };
    const reached = outcomeOf(await app.call({ ...request, remoteAddress: freshAddress() }));
    expect(reached).not.toMatch(/^(401|403|429|5)/);
    await fill(remoteAddress, LIMIT - 1);
    const last = await app.call(request);
    expect([outcomeOf(last), left(last)]).toEqual([reached, 0]);
    expectRefusal(await app.call(request), 60);
    clock += 60_000;
    expect(outcomeOf(await app.call(request))).toBe(reached);
  });
});

describe('the rate limit', () => {
  it('applies to every window of 60 seconds, not to minutes of the clock', async () => {
    const address = freshAddress();
    await spend(address, 100);
    clock += 30_000;
    await spend(address, 100);
    clock += 29_500;
    const call = () => app.call({ url: WHOAMI, remoteAddress: address });
    expectRefusal(await call(), 1);
    clock += 500;
    for (let i = 0; i < 100; i++) expect((await call()).statusCode).toBe(401);
    expectRefusal(await call(), 30);
  });

  it('does not count refused requests: a client that waits as told gets through', async () => {
    const address = freshAddress();
    await spend(address, LIMIT);
    clock += 10_200;
    const refused = await app.call({ url: WHOAMI, remoteAddress: address });
    expectRefusal(refused, 50);
    await spend(address, 50);
    clock += Number(refused.headers['retry-after']) * 1000;
    expect((await app.call({ url: WHOAMI, remoteAddress: address })).statusCode).toBe(401);
  });

  it('is checked before the key', async () => {
    const address = freshAddress();
    await spend(address, LIMIT);
    const unused = await createKey(app.services.db, world.account);
    const { hits, misses } = app.services.access;
    const calls: Call[] = [
      { url: WHOAMI },
      { url: WHOAMI, key: unused.key },
      { url: WHOAMI, key: 'nonsense' },
      { url: '/nowhere' },
      { url: '/account/v1/%zz' },
      { url: WHOAMI, method: 'DELETE' },
      {
        url: '/workshop/v1/widgets',
        method: 'POST',
        payload: '{',
        headers: { 'content-type': 'text/plain' },
      },
    ];
    const answers = await Promise.all(calls.map((call) => app.call({ ...call, remoteAddress: address })));
    for (const answer of answers) {
      expectRefusal(answer);
      // An unread body closes the connection, so the `connection` header may differ. Everything else must be equal.
      expect(unconnected(answer)).toEqual(unconnected(answers[0]!));
    }
    expect([app.services.access.hits, app.services.access.misses]).toEqual([hits, misses]);
    const head = await app.call({ url: WHOAMI, method: 'HEAD', remoteAddress: address });
    expect(head.statusCode).toBe(429);
  });

  const kinds: [string, number, () => Call | Promise<Call>][] = [
    ['a good one', 200, () => ({ url: WHOAMI, key: world.key.key })],
    ['one without a key', 401, () => ({ url: WHOAMI })],
    ['one without permission', 403, async () => ({ url: '/account/v1/members', key: await narrowKey() })],
    ['an unknown path', 404, () => ({ url: '/account/v1/nothing' })],
    ['a path of no family', 404, () => ({ url: '/favicon.ico' })],
    ['an unknown id', 404, () => ({ url: '/workshop/v1/widgets/x', key: world.key.key })],
    ['another method', 405, () => ({ url: WHOAMI, method: 'PUT' })],
    ['a method of webdav', 405, () => ({ url: WHOAMI, method: 'PROPFIND' as 'GET' })],
    ['OPTIONS', 405, () => ({ url: WHOAMI, method: 'OPTIONS' })],
    ['HEAD', 200, () => ({ url: WHOAMI, method: 'HEAD', key: world.key.key })],
    ['bad input', 422, () => ({ url: `${WHOAMI}?x=1`, key: world.key.key })],
    ['a URL that cannot be read', 400, () => ({ url: '/account/v1/api-keys/%zz', key: world.key.key })],
    ['a query that cannot be read', 400, () => ({ url: `${WHOAMI}?x=%`, key: world.key.key })],
    ['an unknown format', 406, () => ({ url: WHOAMI, key: world.key.key, headers: { accept: 'text/html' } })],
    ['a dry run', 200, () => ({ ...create('dry'), url: '/workshop/v1/widgets?dry_run=true' })],
    ['a creation', 201, () => create('twice')],
    ['its replay', 201, () => create('twice')],
    ['a body of another type', 415, () => ({ ...create('a'), headers: { 'content-type': 'text/plain' } })],
    [
      'a body that is too large',
      413,
      () => ({ ...create('a'), payload: JSON.stringify('a'.repeat(300_000)) }),
    ],
    ['a conditional one', 304, conditional],
  ];
  const create = (name: string): Call => ({
    method: 'POST',
    url: '/workshop/v1/widgets',
    key: world.key.key,
    headers: { 'content-type': 'application/json', 'idempotency-key': `key-${name}` },
    payload: JSON.stringify({ name, size: 1 }),
  });
  async function narrowKey(): Promise<string> {
    return (await createKey(app.services.db, world.account, { permissions: ['account:profile:read'] })).key;
  }
  async function conditional(): Promise<Call> {
    const url = '/account/v1/profile';
    const { headers } = await app.call({ url, key: world.key.key });
    return { url, key: world.key.key, headers: { 'if-none-match': String(headers['etag']) } };
  }

  it.each(kinds)('counts %s (%i) once', async (_, status, make) => {
    const remoteAddress = freshAddress();
    const response = await app.call({ ...(await make()), remoteAddress });
    expect([response.statusCode, left(response)]).toEqual([status, LIMIT - 1]);
    expect(left(await app.call({ url: WHOAMI, remoteAddress }))).toBe(LIMIT - 2);
  });

  it('does not count or limit operator endpoints and documents', async () => {
    const server = createServer(app.services);
    serveSystem(server, app.services, { check: async () => ({ database: { status: 'ok' } }) });
    serveOpenapi(server, app.services, openExchange);
    const remoteAddress = '127.0.0.1';
    const urls = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/openapi.yaml'];
    for (const url of [...urls, ...urls])
      expect([url, (await server.inject({ url, remoteAddress })).statusCode]).toEqual([url, 200]);
    expect(left(await server.inject({ url: WHOAMI, remoteAddress }))).toBe(LIMIT - 1);
    for (let i = 1; i < LIMIT; i++) await server.inject({ url: WHOAMI, remoteAddress });
    expectRefusal(await server.inject({ url: WHOAMI, remoteAddress }));
    for (const url of urls)
      expect([url, (await server.inject({ url, remoteAddress })).statusCode]).toEqual([url, 200]);
    await server.close();
  });
});

describe('a client address', () => {
  const remaining = async (remoteAddress: string, forwarded?: string, on: TestApp = app): Promise<number> =>
    left(
      await on.call({
        url: WHOAMI,
        remoteAddress,
        ...(forwarded ? { headers: { 'x-forwarded-for': forwarded } } : {}),
      }),
    );

  it('of IPv6 counts as its /64', async () => {
    expect(await remaining('2001:db8:1:2::1')).toBe(LIMIT - 1);
    expect(await remaining('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(LIMIT - 2);
    expect(await remaining('2001:db8:1:2:0:1:0:0')).toBe(LIMIT - 3);
    expect(await remaining('2001:db8:1:3::1')).toBe(LIMIT - 1);
    const whoami = await app.call({ url: WHOAMI, remoteAddress: '2001:db8:1:2::9', key: world.key.key });
    expect(whoami.json().client.rate_limit_key).toBe('2001:db8:1:2::/64');
  });

  it('that is IPv4-mapped counts as its IPv4 address', async () => {
    const address = freshAddress();
    expect(await remaining(address)).toBe(LIMIT - 1);
    expect(await remaining(`::ffff:${address}`)).toBe(LIMIT - 2);
  });

  it('cannot be chosen by the client', async () => {
    const address = freshAddress();
    for (let i = 1; i <= 5; i++) expect(await remaining(address, `203.0.113.${i}`)).toBe(LIMIT - i);
  });

  it('is taken from trusted proxies, read from the right', async () => {
    const provider = (config: ProviderConfig): ProviderConfig => ({
      ...config,
      server: { ...config.server, trusted_proxies: ['192.0.2.0/24', '2001:db8:ffff::/48'] },
    });
    const behind = await createTestApp({ provider, limiter: new MemoryRateLimit({ now: () => clock }) });
    const proxied = (chain: string, peer = '192.0.2.1') => remaining(peer, chain, behind);
    expect(await proxied('203.0.113.7')).toBe(LIMIT - 1);
    expect(await proxied('1.2.3.4, 203.0.113.7')).toBe(LIMIT - 2);
    expect(await proxied('5.6.7.8, 203.0.113.7, 192.0.2.9', '2001:db8:ffff::1')).toBe(LIMIT - 3);
    expect(await proxied('203.0.113.7, 198.51.100.1')).toBe(LIMIT - 1);
    expect(await proxied('203.0.113.7', '198.51.100.1')).toBe(LIMIT - 2);
    expect(await proxied('nonsense')).toBe(LIMIT - 1);
    expect(await proxied('203.0.113.7, nonsense')).toBe(LIMIT - 2);
    expect(await proxied('203.0.113.7:4711')).toBe(LIMIT - 4);
    expect(await proxied('')).toBe(LIMIT - 1);
    await behind.close();
  });
});

describe('several processes on one Redis', () => {
  it('count together, and separately but still limited when Redis is lost', async ({ skip }) => {
    skip(findRedis() === undefined, NO_REDIS);
    const redis = await startRedis();
    if (redis === null) throw new Error('found but not started');
    // A long time limit, so that the limiter does not treat Redis on a busy test machine as unreachable.
    const options = { url: redis.url, answerWithinMs: 10_000, countProcesses: async () => 2 };
    const open = () => createTestApp({ limiter: new RedisRateLimit(options) });
    const [a, b] = [await open(), await open()];
    const address = freshAddress();
    await spend(address, 120, a);
    await spend(address, 79, b);
    const last = await a.call({ url: WHOAMI, remoteAddress: address });
    expect([last.statusCode, left(last)]).toEqual([401, 0]);
    for (const one of [a, b]) expectRefusal(await one.call({ url: WHOAMI, remoteAddress: address }));

    await redis.stop();
    const other = freshAddress();
    for (const one of [a, b]) {
      const statuses: number[] = [];
      for (let i = 0; i < LIMIT; i++) {
        const response = await one.call({ url: WHOAMI, remoteAddress: other });
        expectWellFormed('without Redis', response);
        statuses.push(response.statusCode);
      }
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(LIMIT / 2);
    }
    await Promise.all([a.close(), b.close()]);
  });
});
