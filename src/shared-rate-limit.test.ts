/** Several processes on one database and one Redis: which of them share the rate limit while Redis is away. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ProviderConfig } from './provider/schema.ts';
import { openServices, type RunningServices } from './services.ts';
import { createTestApp, defaultProvider, type TestApp } from './testing/app.ts';
import { findRedis, NO_REDIS, startRedis, type TestRedis } from './testing/redis.ts';

const isHere = findRedis() !== undefined;

describe.skipIf(!isHere)(isHere ? 'a shared rate limit' : `a shared rate limit: ${NO_REDIS}`, () => {
  let redis: TestRedis;
  let one: TestApp;
  let other: TestApp;
  let worker: RunningServices;

  const withRedis = (config: ProviderConfig): ProviderConfig => ({ ...config, redis: { url: redis.url } });
  const isShared = (app: TestApp) => expect(app.services.limiter.status().degraded).toBe(false);

  beforeAll(async () => {
    redis = (await startRedis())!;
    one = await createTestApp({ provider: withRedis });
    other = await createTestApp({ provider: withRedis, database: one.database });
    const ended = await createTestApp({ provider: withRedis, database: one.database });
    worker = await openServices({
      provider: withRedis(defaultProvider()),
      registry: one.registry,
      connection: one.database.connection,
      log: one.services.log,
      baseUrl: 'https://api.example.test',
      secretKey: Buffer.alloc(32, 'for tests only'),
      works: true,
      serves: false,
    });
    await vi.waitFor(() => [one, other, ended].map(isShared), { timeout: 120_000 });
    await ended.close();
  });
  afterAll(async () => {
    await worker.close();
    await one.close();
    await redis.stop();
  });

  async function passed(app: TestApp, key: string): Promise<number> {
    let count = 0;
    for (let i = 0; i < 220; i++) if ((await app.services.limiter.take(key)).allowed) count++;
    return count;
  }

  it('is divided by the number of running API processes, without workers and ended processes', async () => {
    redis.pause();
    await vi.waitFor(async () => {
      for (const app of [one, other]) await app.services.limiter.take('k');
      for (const app of [one, other]) expect(app.services.limiter.status().degraded).toBe(true);
    });
    expect([await passed(one, 'x'), await passed(other, 'x')]).toEqual([100, 100]);

    await other.close();
    await vi.waitFor(async () => expect((await one.services.limiter.peek('y')).remaining).toBe(200), {
      timeout: 120_000,
    });
    expect(await passed(one, 'y')).toBe(200);
  });

  it('raises an alarm when Redis is lost, and none when it is back', async () => {
    redis.resume();
    await vi.waitFor(() => isShared(one), { timeout: 120_000 });
    const metrics = await one.services.metrics.render();
    expect(metrics).toContain('hostplane_alarms_total{alarm="rate_limit_lost"}');
    expect(metrics).not.toContain('rate_limit_recovered');
    const lines = one.logged
      .map((line) => JSON.parse(line) as { level: string; msg: string; kind?: string })
      .filter(({ msg }) => msg === 'rate limit store');
    expect(new Set(lines.map(({ level, kind }) => `${level} ${kind}`))).toEqual(
      new Set(['warn lost', 'info recovered']),
    );
  });
});
