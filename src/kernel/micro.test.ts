import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney, formatQuantity, formatRate } from '../money/prices/format.ts';
import { divide, micro, toCents } from './micro.ts';

const amount = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });

describe('amounts in millionths', () => {
  it.each([
    ['0.011', 11_000n],
    ['7', 7_000_000n],
    [7, 7_000_000n],
    [0.1, 100_000n],
    ['-0.000001', -1n],
    [1e9, 10n ** 15n],
    ['9999999999.999999', 9_999_999_999_999_999n],
  ])('are parsed from %s', (text, value) => {
    expect(micro(text)).toBe(value);
  });

  it.each(['', '.5', '1.', '1e3', '0.0000001', 'Infinity', ' 1', '0x1'])('are not parsed from %j', (text) => {
    expect(() => micro(text)).toThrow(RangeError);
  });

  it('are parsed back from their text', () => {
    fc.assert(fc.property(amount, (value) => micro(formatRate(value)) === value));
    fc.assert(fc.property(amount, (value) => micro(formatQuantity(value)) === value));
  });

  it.each([
    ['0.005', '0.01'],
    ['0.004999', '0.00'],
    ['0.014999', '0.01'],
    ['0.015', '0.02'],
    ['-0.005', '-0.01'],
    ['-0.004', '0.00'],
    ['999.995', '1000.00'],
  ])('%s is formatted as %s', (text, money) => {
    expect(formatMoney(micro(text))).toBe(money);
  });

  it.each([
    ['42000', '42000'],
    ['1.500000', '1.5'],
    ['0', '0'],
    ['100', '100'],
  ])('as a quantity, %s is formatted as %s', (text, shown) => {
    expect(formatQuantity(micro(text))).toBe(shown);
  });
});

describe('rounding', () => {
  const denominator = fc.bigInt({ min: 1n, max: 10n ** 12n });

  it('is off by at most one half, and rounds half up', () => {
    fc.assert(
      fc.property(amount, denominator, (n, d) => {
        const twice = 2n * (divide(n, d) * d - n);
        return n >= 0n ? -d < twice && twice <= d : -d <= twice && twice < d;
      }),
    );
  });

  it('keeps the order of amounts', () => {
    fc.assert(fc.property(amount, amount, denominator, (a, b, d) => a > b || toCents(a, d) <= toCents(b, d)));
  });
});
