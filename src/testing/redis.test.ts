import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { findRedis, NO_REDIS, startRedis } from './redis.ts';

describe('a Redis for tests', () => {
  it('answers, sleeps while paused and is gone when stopped', async ({ skip }) => {
    skip(findRedis() === undefined, NO_REDIS);
    const redis = await startRedis();
    if (!redis) throw new Error('found but not started');
    const client = new Redis(redis.url, {
      commandTimeout: 200,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    client.on('error', () => undefined);
    expect(await client.ping()).toBe('PONG');
    redis.pause();
    await expect(client.ping()).rejects.toThrow(/timed out/i);
    redis.resume();
    await redis.stop();
    await expect(client.ping()).rejects.toThrow();
    client.disconnect();
  });
});
