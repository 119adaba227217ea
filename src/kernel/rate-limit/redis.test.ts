import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findRedis, NO_REDIS, startRedis, type TestRedis } from '../../testing/redis.ts';
import { openRelay } from '../../testing/relay.ts';
import type { RateLimitResult } from './port.ts';
import { type RateLimitAlarm, RedisRateLimit, type RedisRateLimitOptions } from './redis.ts';

interface Process {
  readonly store: RedisRateLimit;
  readonly alarms: RateLimitAlarm[];
}

const running: RedisRateLimit[] = [];

/** Long enough that a busy test machine does not look like a lost store. */
const PATIENT = { answerWithinMs: 2000 };
/** For tests in which the store fails on purpose. */
const BRIEF = { answerWithinMs: 300 };

function run(url: string, options: Partial<RedisRateLimitOptions> = {}): Process {
  const alarms: RateLimitAlarm[] = [];
  const store = new RedisRateLimit({ url, onAlarm: (alarm) => alarms.push(alarm), ...PATIENT, ...options });
  running.push(store);
  return { store, alarms };
}

async function takeMany(
  stores: readonly RedisRateLimit[],
  key: string,
  times: number,
): Promise<RateLimitResult[]> {
  const results: RateLimitResult[] = [];
  for (let i = 0; i < times; i++) results.push(await stores[i % stores.length]!.take(key));
  return results;
}

const allowedOf = (results: readonly RateLimitResult[]) => results.filter((each) => each.allowed).length;
const kindsOf = (alarms: readonly RateLimitAlarm[]) => alarms.map((alarm) => alarm.kind);

const isHere = findRedis() !== undefined;
describe.skipIf(!isHere)(isHere ? 'redis rate limit' : `redis rate limit: ${NO_REDIS}`, () => {
  let server: TestRedis;
  let raw: Redis;

  beforeAll(async () => {
    server = (await startRedis())!;
    raw = new Redis(server.url);
  });
  beforeEach(() => raw.flushall());
  afterEach(async () => {
    for (const store of running.splice(0)) await store.close();
  });
  afterAll(async () => {
    raw.disconnect();
    await server.stop();
  });

  async function storeTime(): Promise<number> {
    const [seconds, micros] = await raw.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  it('lets request 200 pass and refuses 201 across two processes', async () => {
    const [a, b] = [run(server.url), run(server.url)];
    const results = await takeMany([a.store, b.store], '192.0.2.1', 200);
    expect(allowedOf(results)).toBe(200);
    expect(results.map((each) => each.remaining)).toEqual(Array.from({ length: 200 }, (_, i) => 199 - i));
    expect(results[0]).toMatchObject({ limit: 200, resetSeconds: 60, retryAfterSeconds: 0 });
    for (const { store } of [a, b]) {
      const refused = await store.take('192.0.2.1');
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      expect(refused.retryAfterSeconds).toBeGreaterThan(50);
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
    expect(await a.store.take('192.0.2.2')).toMatchObject({ allowed: true, remaining: 199 });
    expect(await raw.llen('hostplane:rate:ip:192.0.2.1')).toBe(200);
    expect([...a.alarms, ...b.alarms]).toEqual([]);
  });

  it('gives out exactly 200 when two processes race for them', async () => {
    const stores = [run(server.url).store, run(server.url).store];
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => stores[i % 2]!.take('2001:db8::/64')),
    );
    expect(allowedOf(results)).toBe(200);
  });

  it('counts by the clock of the store, whatever the processes believe', async () => {
    const stores = [run(server.url, { now: () => 0 }).store, run(server.url, { now: () => 9e12 }).store];
    const before = await storeTime();
    expect(allowedOf(await takeMany(stores, 'k', 201))).toBe(200);
    const after = await storeTime();
    const times = (await raw.lrange('hostplane:rate:ip:k', 0, -1)).map(Number);
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeLessThanOrEqual(after);
  });

  it('lets a lone client through after Retry-After, and forgets what left the window', async () => {
    const { store } = run(server.url);
    const key = 'hostplane:rate:ip:k';
    const now = await storeTime();
    await raw.rpush(
      key,
      ...Array.from({ length: 150 }, () => now - 60_000),
      ...Array(200).fill(now - 59_100),
    );
    const refused = await store.take('k');
    expect(refused).toMatchObject({ allowed: false, resetSeconds: 1, retryAfterSeconds: 1 });
    expect(await raw.llen(key)).toBe(200);
    await sleep(refused.retryAfterSeconds * 1000);
    expect(await store.take('k')).toMatchObject({ allowed: true, remaining: 199 });
    expect(await raw.llen(key)).toBe(1);
    expect(await raw.pttl(key)).toBeGreaterThan(55_000);
  });

  it('counts nothing when peeking', async () => {
    const { store } = run(server.url, { prefix: 'other:' });
    expect(await store.peek('k')).toMatchObject({ allowed: true, remaining: 200, resetSeconds: 0 });
    await store.take('k');
    expect(await store.peek('k')).toMatchObject({ allowed: true, remaining: 199, resetSeconds: 60 });
    expect(await raw.llen('other:ip:k')).toBe(1);
  });

  it('sends the script again when the store has forgotten it', async () => {
    const { store, alarms } = run(server.url);
    await store.take('k');
    await raw.script('FLUSH');
    expect(await store.take('k')).toMatchObject({ remaining: 198 });
    expect(alarms).toEqual([]);
  });

  it('counts alone while the store hangs, keeps the promise, and returns by itself', async () => {
    const { store, alarms } = run(server.url, BRIEF);
    expect(allowedOf(await takeMany([store], 'k', 50))).toBe(50);
    server.pause();
    try {
      const first = await Promise.all(Array.from({ length: 60 }, () => store.take('k')));
      const rest = await takeMany([store], 'k', 200);
      expect(allowedOf([...first, ...rest])).toBe(150);
      expect(rest.at(-1)).toMatchObject({ allowed: false, limit: 200, remaining: 0 });
      expect(store.status()).toMatchObject({ store: 'redis', degraded: true });
      expect(alarms).toEqual([{ kind: 'lost', reason: 'no answer within 300 ms', localLimit: 200 }]);
    } finally {
      server.resume();
    }
    await vi.waitFor(() => expect(store.status().degraded).toBe(false), { timeout: 120_000 });
    expect(kindsOf(alarms)).toEqual(['lost', 'recovered']);
    expect((await store.take('new')).remaining).toBe(199);
    expect(await store.peek('k')).toMatchObject({ allowed: false, remaining: 0 });
    expect(await store.take('k')).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('gives the store 50 ms unless told otherwise', async () => {
    const alarms: RateLimitAlarm[] = [];
    server.pause();
    try {
      const store = new RedisRateLimit({ url: server.url, onAlarm: (alarm) => alarms.push(alarm) });
      running.push(store);
      expect(await store.take('k')).toMatchObject({ allowed: true, remaining: 199 });
      expect(alarms).toMatchObject([{ kind: 'lost', reason: 'no answer within 50 ms' }]);
    } finally {
      server.resume();
    }
  });

  it('shares the limit between the processes that there are now', async () => {
    let processes = 3;
    const { store, alarms } = run(server.url, { ...BRIEF, countProcesses: async () => processes });
    await store.take('k');
    processes = 2;
    server.pause();
    try {
      expect(allowedOf(await takeMany([store], 'x', 220))).toBe(100);
      expect(alarms).toMatchObject([{ kind: 'lost', localLimit: 100 }]);
      processes = 1;
      await vi.waitFor(async () => expect((await store.peek('x')).remaining).toBe(100), { timeout: 120_000 });
      expect(allowedOf(await takeMany([store], 'x', 220))).toBe(100);
    } finally {
      server.resume();
    }
  });

  it('uses the last count of the processes while they cannot be counted', async () => {
    let count = async (): Promise<number> => 4;
    const { store } = run(server.url, { ...BRIEF, countProcesses: () => count() });
    await store.countSharers();
    count = () => new Promise(() => {});
    server.pause();
    try {
      expect(allowedOf(await takeMany([store], 'x', 60))).toBe(50);
    } finally {
      server.resume();
    }
  });

  it('knows of processes that came later, also if they cannot be counted when the store is lost', async () => {
    let count = async (): Promise<number> => 1;
    const { store } = run(server.url, { ...BRIEF, countProcesses: () => count(), recountEveryMs: 20 });
    await store.countSharers();
    await new Promise<void>((resolve) => {
      count = async () => {
        // Only the count after this one shows that this one was taken over.
        count = async () => {
          resolve();
          return 4;
        };
        return 4;
      };
    });
    count = () => new Promise(() => {});
    server.pause();
    try {
      expect(allowedOf(await takeMany([store], 'x', 220))).toBe(50);
    } finally {
      server.resume();
    }
  });

  it('counts locally when the store answers with an error', async () => {
    const { store, alarms } = run(server.url);
    await raw.set('hostplane:rate:ip:k', 'not a list');
    expect(allowedOf(await takeMany([store], 'k', 201))).toBe(200);
    expect(alarms[0]).toMatchObject({ kind: 'lost', reason: expect.stringMatching(/WRONGTYPE/) });
  });

  it('starts without a store, finds it, loses it and finds it again', async () => {
    const relay = await openRelay();
    const { store, alarms } = run(`redis://127.0.0.1:${relay.port}`, {
      onAlarm: (alarm) => {
        alarms.push(alarm);
        throw new Error('nobody is listening');
      },
    });
    expect(allowedOf(await takeMany([store], 'k', 250))).toBe(200);
    expect(kindsOf(alarms)).toEqual(['lost']);

    const short = (await startRedis())!;
    relay.lead(short.port);
    await vi.waitFor(() => expect(store.status().degraded).toBe(false), { timeout: 120_000 });
    expect((await store.take('fresh')).remaining).toBe(199);

    relay.lead(null);
    await short.stop();
    await vi.waitFor(() => expect(kindsOf(alarms)).toEqual(['lost', 'recovered', 'lost']));
    expect((await store.take('k')).allowed).toBe(false);

    relay.lead(server.port);
    await vi.waitFor(() => expect(store.status().degraded).toBe(false), { timeout: 120_000 });
    expect(kindsOf(alarms)).toEqual(['lost', 'recovered', 'lost', 'recovered']);
    // The new store knows nothing of the first one.
    expect((await store.take('fresh')).remaining).toBe(198);

    await store.close();
    await vi.waitFor(() => expect(relay.connections()).toBe(0));
    relay.close();
  });
});
