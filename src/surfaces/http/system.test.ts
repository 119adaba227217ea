import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { extendMachineKind } from '../../testing/machines.ts';
import { ended, startOn } from '../../testing/operations.ts';
import { createServer } from './server.ts';
import { serveSystem } from './system.ts';

let t: TestApp;
let server: FastifyInstance;
let key: string;

beforeAll(async () => {
  t = await createTestApp({ works: true });
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
  server = createServer(t.services);
  serveSystem(server, t.services, t.running.health);
});
afterAll(async () => {
  await server.close();
  await t.close();
});

const get = (url: string, remoteAddress = '127.0.0.1') =>
  server.inject({ url, remoteAddress, headers: { 'x-api-key': key } });

describe('/metrics', () => {
  it('200 from loopback: requests by operation and status, latency, pool, caches, limiter', async () => {
    await get('/account/v1/profile');
    await get('/account/v1/nothing');
    const { body, headers } = await get('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toMatch(/hostplane_requests_total\{operation="getAccountProfile",status="200"\} 1/);
    expect(body).toMatch(/hostplane_requests_total\{operation="none",status="404"\} 1/);
    expect(body).toMatch(/hostplane_request_duration_seconds_count\{operation="getAccountProfile"\} 1/);
    expect(body).toMatch(/hostplane_refusals_total\{code="endpoint_not_found"\} 1/);
    for (const gauge of [
      'pool_connections',
      'access_cache_keys',
      'access_cache_hits_total',
      'limiter_addresses',
      'listener_up',
    ]) {
      expect(body).toMatch(new RegExp(`hostplane_${gauge} \\d`));
    }
  });

  it('shows the slots of each lane, how long operations waited, and how long the oldest still waits', async () => {
    const { db } = t.services;
    const started = await startOn(t, await createAccount(db), extendMachineKind, 'mac_metrics');
    await ended(t, started.id);
    await expect
      .poll(async () => (await get('/metrics')).body)
      .toMatch(/hostplane_operation_start_delay_seconds_count\{lane="own"\} [1-9]/);
    const { body } = await get('/metrics');
    for (const lane of ['own', 'foreign', 'undo'])
      for (const gauge of ['operation_slots_free', 'operation_slots_used', 'operations_oldest_due_seconds'])
        expect(body).toMatch(new RegExp(`hostplane_${gauge}\\{lane="${lane}"\\} \\d`));
  });

  it('the name of every counter, and of nothing else, ends in _total', async () => {
    const { body } = await get('/metrics');
    const types = [...body.matchAll(/^# TYPE (hostplane_\S+) (\S+)$/gm)].map(([, name = '', type]) => ({
      name,
      type,
    }));
    expect(types.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([]);
    const counts = ['access_cache_hits', 'access_cache_misses', 'audit_dropped', 'denials_dropped'];
    const counters = types.filter(({ type }) => type === 'counter').map(({ name }) => name);
    expect(counters).toEqual(expect.arrayContaining(counts.map((name) => `hostplane_${name}_total`)));
  });

  it('404 from elsewhere, as if it were not there', async () => {
    const response = await get('/metrics', '203.0.113.9');
    expect([response.statusCode, response.json().code]).toEqual([404, 'endpoint_not_found']);
  });
});

describe('many concurrent scrapes', () => {
  it('share one response', async () => {
    let rendered = 0;
    const render = (): Promise<string> => {
      rendered++;
      return t.services.metrics.render();
    };
    const metrics = new Proxy(t.services.metrics, {
      get: (target, name) => (name === 'render' ? render : Reflect.get(target, name, target)),
    });
    const flooded = createServer(t.services);
    serveSystem(flooded, { ...t.services, metrics }, t.running.health);
    const scrape = () => flooded.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
    const answers = await Promise.all(Array.from({ length: 100 }, scrape));
    await flooded.close();
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(rendered).toBeLessThan(20);
  });
});

describe('/metrics behind a proxy on the same machine', () => {
  let proxied: TestApp;
  let behind: FastifyInstance;

  beforeAll(async () => {
    proxied = await createTestApp({
      provider: (config) => ({
        ...config,
        server: {
          ...config.server,
          trusted_proxies: ['127.0.0.1/32'],
          metrics_allow_from: ['127.0.0.0/8', '10.9.0.0/16'],
        },
      }),
    });
    behind = createServer(proxied.services);
    serveSystem(behind, proxied.services, proxied.running.health);
  });
  afterAll(async () => {
    await behind.close();
    await proxied.close();
  });

  const ask = async (forwarded: string | undefined, remoteAddress = '127.0.0.1', at = behind) =>
    (
      await at.inject({
        url: '/metrics',
        remoteAddress,
        headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      })
    ).statusCode;

  it('404 for a client outside, also if it claims another address', async () => {
    expect(await ask('203.0.113.9')).toBe(404);
    expect(await ask('127.0.0.1, 203.0.113.9')).toBe(404);
    expect(await ask('10.9.0.1', '203.0.113.9')).toBe(404);
    expect(await ask('203.0.113.9:4711')).toBe(404);
    expect(await ask('unknown')).toBe(404);
  });

  it('200 for an operator inside, through the proxy or past it', async () => {
    expect(await ask('10.9.0.7')).toBe(200);
    expect(await ask('203.0.113.9, 10.9.0.7')).toBe(200);
    expect(await ask(undefined)).toBe(200);
    expect(await ask(undefined, '10.9.0.7')).toBe(200);
  });

  it('404 through a proxy that is not trusted, because the client is unknown', async () => {
    expect(await ask('203.0.113.9', '127.0.0.1', server)).toBe(404);
    expect(await ask('127.0.0.1', '127.0.0.1', server)).toBe(404);
  });

  it.each(['forwarded', 'x-real-ip', 'via'])('404 through a proxy that sends only %s', async (name) => {
    for (const at of [server, behind]) {
      const headers = { [name]: '127.0.0.1' };
      const { statusCode } = await at.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers });
      expect(statusCode).toBe(404);
    }
  });
});

describe('/healthz and /readyz', () => {
  it('200 with each component while everything works', async () => {
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      {
        status: 'ok',
        components: {
          server: { status: 'ok' },
          database: { status: 'ok' },
          writes: { status: 'ok' },
          operations: { status: 'ok' },
          notifications: { status: 'ok' },
          rate_limit: { status: 'ok', detail: 'memory' },
        },
      },
    ]);
  });

  it('200 for HEAD as well, and probes are not counted', async () => {
    for (const url of ['/healthz', '/readyz', '/metrics']) {
      const { statusCode } = await server.inject({ method: 'HEAD', url, remoteAddress: '127.0.0.77' });
      expect([url, statusCode]).toEqual([url, 200]);
    }
    expect(t.services.limiter.peek('127.0.0.77')).toMatchObject({ remaining: 200 });
  });

  it('report that operations wait for a worker, and stay ready', async () => {
    const { db } = t.services;
    const { id } = await createAccount(db);
    const insert = (lane: string, seconds: number) =>
      sql`
      insert into operations (id, account_id, type, family, status, resource_type, actor, cancellable, deadline_at, queue,
        is_ready, is_due, run_at, lane)
      values (${`op_${lane}`}, ${id}, 'of.a.newer.version', 'workshop', 'queued', 'machine', '{}', true, now(), 'free', true,
        true, now() - ${seconds} * interval '1 second', ${lane})`.execute(db);
    await insert('own', 90);
    await insert('foreign', 120);
    await expect
      .poll(async () => (await get('/readyz')).json().components.operations)
      .toMatchObject({
        status: 'degraded',
        detail: expect.stringMatching(/^operations wait for a worker: the oldest 9\d s in the lane own$/),
      });
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json().status]).toEqual([200, 'degraded']);
    await sql`delete from operations where id in ('op_own', 'op_foreign')`.execute(db);
    await expect.poll(async () => (await get('/readyz')).json().status).toBe('ok');
  });

  it('report that the listener is disconnected, and stay ready', async () => {
    // The listener reconnects quickly, so the test ends its connection again until a check falls into the gap.
    const look = async (): Promise<string> => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
                where application_name like '%listen' and datname = current_database()`.execute(
        t.services.db,
      );
      return (await get('/readyz')).json().components.notifications.status;
    };
    await expect.poll(look).toBe('degraded');
    expect((await get('/account/v1/whoami')).statusCode).toBe(200);
    await expect.poll(async () => (await get('/readyz')).json().status).toBe('ok');
  });

  it('503 from the moment the server is to stop, while it still answers', async () => {
    t.running.drain();
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json().components.server.status]).toEqual([503, 'down']);
    expect((await get('/account/v1/whoami')).statusCode).toBe(200);
    expect((await get('/healthz')).statusCode).toBe(200);
  });
});
