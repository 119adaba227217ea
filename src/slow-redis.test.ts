/** Two API processes behind one proxy, with a Redis that answers late or never, while a client floods them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMIT } from './kernel/rate-limit/port.ts';
import { createAccount, createKey, type TestKey } from './testing/accounts.ts';
import { type Answer, type ApiProcesses, ask, startApiProcesses } from './testing/api-processes.ts';
import { createTestApp, type TestApp } from './testing/app.ts';
import { findRedis, NO_REDIS, startRedis, type TestRedis } from './testing/redis.ts';
import { openSlowRelay, type SlowRelay } from './testing/slow-relay.ts';

const isHere = findRedis() !== undefined;
const PROCESSES = 2;
const CALLS = 100;
const FLOOD = 600;
const LATE_MS = 2_000;
const PATIENCE = { timeout: 120_000 };

describe.skipIf(!isHere)(isHere ? 'a slow Redis' : `a slow Redis: ${NO_REDIS}`, () => {
  let redis: TestRedis;
  let relay: SlowRelay;
  let app: TestApp;
  let api: ApiProcesses;
  let flooding: TestKey;
  let other: TestKey;

  beforeAll(async () => {
    redis = (await startRedis())!;
    relay = await openSlowRelay(redis.port);
    app = await createTestApp({ works: false, serves: false });
    const { db } = app.services;
    flooding = await createKey(db, await createAccount(db));
    other = await createKey(db, await createAccount(db));
    const environment = { HOSTPLANE_REDIS_URL: `redis://127.0.0.1:${relay.port}` };
    api = await startApiProcesses(app.database, { count: PROCESSES, environment });
    await untilRateLimitIs('ok');
  });
  afterAll(async () => {
    await api?.close();
    await app?.close();
    await relay?.close();
    await redis?.stop();
  });

  let lastAddress = 0;
  const newAddress = (): string => `127.10.${++lastAddress >> 8}.${lastAddress & 255}`;
  const call = ({ key }: TestKey, from: string): Promise<Answer> =>
    api.ask('/account/v1/whoami', { from, headers: { 'x-api-key': key } });
  const componentOf = async (url: string): Promise<string> =>
    (JSON.parse((await ask(url, '/readyz')).body) as { components: Record<string, { status: string }> })
      .components['rate_limit']!.status;
  const statuses = () => Promise.all(api.servers.map(({ url }) => componentOf(url)));
  /** A process notices the state of Redis with its next call. */
  const untilRateLimitIs = (status: string) =>
    vi.waitFor(async () => {
      for (let i = 0; i < PROCESSES; i++) await call(other, newAddress());
      expect(await statuses()).toEqual([status, status]);
    }, PATIENCE);

  /** Calls of an account that nobody attacks, one after another: each has its answer before the next one is made. */
  async function bystander(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (let i = 0; i < CALLS; i++) {
      const { status } = await call(other, newAddress());
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  it.each([
    ['answers after two seconds', LATE_MS],
    ['accepts everything and never answers', Number.POSITIVE_INFINITY],
  ])('that %s delays no request, while the limit is still enforced', async (_, milliseconds) => {
    relay.delay(milliseconds);
    await untilRateLimitIs('degraded');
    const from = newAddress();
    const flood = Promise.all(Array.from({ length: FLOOD }, () => call(flooding, from)));
    expect(await bystander()).toEqual({ 200: CALLS });
    const passed = (await flood).filter(({ status }) => status === 200);
    expect(passed.length).toBeLessThanOrEqual(LIMIT * PROCESSES);
    expect(passed.length).toBeGreaterThanOrEqual(LIMIT / PROCESSES);
    // In this state, calls do not ask Redis. Late answers must not end it.
    expect(await statuses()).toEqual(['degraded', 'degraded']);
    relay.delay(0);
    await untilRateLimitIs('ok');
  });
});
