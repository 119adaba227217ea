import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DELAYS, readRetryAfter, retryAfter } from './retries.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });

it('retries follow the schedule with 10 percent jitter, and end after the tenth attempt', () => {
  fc.assert(
    fc.property(chance, (chance) => {
      DELAYS.forEach((delay, i) => {
        const wait = retryAfter({ attempt: i + 1, retryAfterSeconds: null, chance }) ?? 0;
        expect(wait).toBeGreaterThanOrEqual(delay * 0.9 - 1e-9);
        expect(wait).toBeLessThanOrEqual(delay * 1.1 + 1e-9);
      });
    }),
  );
  expect(
    DELAYS.map((delay, i) => retryAfter({ attempt: i + 1, retryAfterSeconds: null, chance: 0.5 }) === delay),
  ).toEqual(DELAYS.map(() => true));
  expect(retryAfter({ attempt: 10, retryAfterSeconds: 60, chance: 0 })).toBeNull();
});

it('a retry waits for Retry-After, up to an hour, and never less than the schedule', () => {
  const wait = (attempt: number, retryAfterSeconds: number) =>
    retryAfter({ attempt, retryAfterSeconds, chance: 0.5 });
  expect([wait(1, 120), wait(1, 86_400), wait(1, 1), wait(4, 60)]).toEqual([120, 3600, 5, 7200]);
});

it('both forms of Retry-After are parsed', () => {
  const now = new Date('2026-03-01T10:00:00Z');
  expect(readRetryAfter('120', now)).toBe(120);
  expect(readRetryAfter('Sun, 01 Mar 2026 10:01:00 GMT', now)).toBe(60);
  expect(readRetryAfter('Sun, 01 Mar 2026 09:00:00 GMT', now)).toBe(0);
  for (const text of [undefined, '', 'soon', '-1x']) expect(readRetryAfter(text, now)).toBeNull();
});
