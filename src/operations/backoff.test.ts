import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffSeconds } from './backoff.ts';

const tries = fc.nat({ max: 10_000 });
const chance = fc.double({ min: 0, max: 1, noNaN: true });

describe('the delay before a retry', () => {
  it('is between half a second and a minute', () => {
    fc.assert(
      fc.property(tries, chance, (n, x) => {
        const seconds = backoffSeconds(n, () => x);
        expect(seconds).toBeGreaterThanOrEqual(0.5);
        expect(seconds).toBeLessThanOrEqual(60);
      }),
    );
  });

  it('never gets shorter with more retries, and doubles up to its maximum', () => {
    fc.assert(
      fc.property(tries, chance, (n, x) => {
        const [now, later] = [backoffSeconds(n, () => x), backoffSeconds(n + 1, () => x)];
        expect(later).toBeGreaterThanOrEqual(now);
        if (n < 5) expect(later).toBeCloseTo(2 * now);
      }),
    );
  });

  it('is half random, so that operations that failed together are not retried together', () => {
    fc.assert(
      fc.property(tries, chance, chance, (n, x, y) => {
        const whole = backoffSeconds(n, () => 1);
        expect(backoffSeconds(n, () => 0)).toBeCloseTo(whole / 2);
        expect(backoffSeconds(n, () => x) - backoffSeconds(n, () => y)).toBeCloseTo((whole / 2) * (x - y));
      }),
    );
  });
});
