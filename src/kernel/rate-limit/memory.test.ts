import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type MemoryOptions, MemoryRateLimit } from './memory.ts';
import { LIMIT, WINDOW_MS } from './port.ts';

let clock = 0;
const opened: MemoryRateLimit[] = [];

function open(options: MemoryOptions = {}): MemoryRateLimit {
  const store = new MemoryRateLimit({ now: () => clock, ...options });
  opened.push(store);
  return store;
}

function takeMany(store: MemoryRateLimit, key: string, times: number): boolean[] {
  return Array.from({ length: times }, () => store.take(key).allowed);
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  clock = 0;
});

/** A simple reference implementation of the rate limit. */
class NaiveLog {
  readonly #accepted = new Map<string, number[]>();

  counted(key: string, now: number): number[] {
    return (this.#accepted.get(key) ?? []).filter((time) => now - time < WINDOW_MS);
  }

  accept(key: string, now: number): void {
    this.#accepted.set(key, [...this.counted(key, now), now]);
  }
}

const steps = (keys: number) =>
  fc.array(
    fc.record({
      key: fc.nat(keys - 1).map((n) => `192.0.2.${n}`),
      times: fc.constantFrom(1, 1, 2, 9, 41, 120, 199, 200, 201),
      wait: fc.oneof(fc.constantFrom(0, 1, 999, 1000, 59_999, 60_000), fc.nat(70_000)),
    }),
    { maxLength: 40 },
  );

describe('memory rate limit', () => {
  it('lets request 200 pass and refuses 201', () => {
    const store = open();
    expect(takeMany(store, 'a', 200)).not.toContain(false);
    expect(store.take('a')).toEqual({
      allowed: false,
      limit: 200,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 60,
    });
    expect(store.take('b')).toEqual({
      allowed: true,
      limit: 200,
      remaining: 199,
      resetSeconds: 60,
      retryAfterSeconds: 0,
    });
  });

  it('opens again exactly when the oldest request leaves the window', () => {
    const store = open();
    store.take('a');
    clock = 10_000;
    takeMany(store, 'a', 199);
    clock = 59_999;
    expect(store.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    clock = 60_000;
    expect(store.take('a').allowed).toBe(true);
    expect(store.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 10 });
  });

  it('agrees with a naive implementation at every step, and Retry-After is long enough', () => {
    fc.assert(
      fc.property(steps(3), fc.nat(1_000_000), (plan, start) => {
        clock = start;
        const store = open();
        const naive = new NaiveLog();
        for (const { key, times, wait } of plan) {
          clock += wait;
          for (let i = 0; i < times; i++) {
            const before = naive.counted(key, clock);
            const allowed = before.length < LIMIT;
            if (allowed) naive.accept(key, clock);
            const counted = naive.counted(key, clock);
            const reset = Math.ceil((counted[0]! + WINDOW_MS - clock) / 1000);
            const expected = {
              allowed,
              limit: LIMIT,
              remaining: LIMIT - counted.length,
              resetSeconds: reset,
              retryAfterSeconds: allowed ? 0 : reset,
            };
            expect(store.take(key)).toEqual(expected);
            expect(store.peek(key)).toMatchObject({ remaining: expected.remaining, resetSeconds: reset });
          }
          const { allowed, retryAfterSeconds } = store.take(key);
          if (allowed) naive.accept(key, clock);
          else {
            clock += retryAfterSeconds * 1000;
            naive.accept(key, clock);
            expect(store.take(key).allowed).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('never accepts more than the rule allows, even when full', () => {
    fc.assert(
      fc.property(steps(8), (plan) => {
        clock = 0;
        const store = open({ maxAddresses: 2, sharedLogs: 2 });
        const naive = new NaiveLog();
        for (const { key, times, wait } of plan) {
          clock += wait;
          for (let i = 0; i < times; i++) {
            if (!store.take(key).allowed) continue;
            expect(naive.counted(key, clock).length).toBeLessThan(LIMIT);
            naive.accept(key, clock);
          }
        }
        expect(store.status().addresses).toBeLessThanOrEqual(4);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps the counts of known addresses when new addresses flood it', () => {
    const store = open({ maxAddresses: 10, sharedLogs: 4 });
    takeMany(store, 'known', 150);
    for (let i = 0; i < 5000; i++) store.take(`flood-${i}`);
    expect(store.status().addresses).toBeLessThanOrEqual(14);
    expect(takeMany(store, 'known', 51)).toEqual([...Array(50).fill(true), false]);
    clock += WINDOW_MS;
    expect(takeMany(store, 'newcomer', 201)).toEqual([...Array(200).fill(true), false]);
  });

  it('stays within its memory limit during repeated floods', () => {
    const store = open({ maxAddresses: 10, sharedLogs: 4 });
    for (let flood = 0; flood < 6; flood++) {
      for (let i = 0; i < 100; i++) store.take(`flood-${flood}-${i}`);
      expect(store.status().addresses).toBeLessThanOrEqual(14);
      clock += 35_000;
    }
  });

  it('forgets idle addresses while others call', () => {
    const store = open();
    for (let i = 0; i < 50; i++) store.take(`idle-${i}`);
    clock = 30_000;
    for (let i = 0; i < 50; i++) store.take(`busy-${i}`);
    clock = 61_000;
    for (let i = 0; i < 50; i++) store.take('busy-0');
    expect(store.status().addresses).toBe(50);
  });

  it('forgets idle addresses while nobody calls', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const store = open();
      for (let i = 0; i < 50; i++) store.take(`idle-${i}`);
      clock = 59_000;
      vi.advanceTimersByTime(1000);
      expect(store.status().addresses).toBe(50);
      clock = 60_000;
      vi.advanceTimersByTime(1000);
      expect(store.status().addresses).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('counts nothing in peek', () => {
    const store = open();
    const untouched = { allowed: true, remaining: 200, resetSeconds: 0, retryAfterSeconds: 0 };
    expect(store.peek('a')).toMatchObject(untouched);
    expect(store.status().addresses).toBe(0);
    takeMany(store, 'a', 200);
    expect(store.peek('a')).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 60 });
    clock = 60_000;
    expect(store.peek('a')).toMatchObject(untouched);
    expect(takeMany(store, 'a', 201).filter(Boolean)).toHaveLength(200);
  });

  it('survives a clock that goes back, and the overflow of its 32-bit times', () => {
    clock = 2 ** 32 - 30_000;
    const store = open();
    takeMany(store, 'a', 200);
    clock -= 5000;
    expect(store.take('a').allowed).toBe(false);
    clock = 2 ** 32 + 29_999;
    expect(store.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    clock = 2 ** 32 + 30_000;
    expect(store.take('a').allowed).toBe(true);
    clock += 2 ** 32 - 1000;
    expect(store.take('a').remaining).toBe(199);
  });

  it('returns the wait for the given limit', () => {
    const store = open();
    store.take('a');
    clock = 20_000;
    store.take('a');
    expect(store.take('a', 1)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 60 });
    clock = 80_000;
    expect(store.take('a', 1).allowed).toBe(true);
  });
});
