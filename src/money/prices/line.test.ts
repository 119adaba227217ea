import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { least, micro, ONE, sum, toCents } from '../../kernel/micro.ts';
import type { Rate } from './book.ts';
import { type Entry, type Line, linesOf } from './line.ts';

const plain: Rate = {
  sku: 'a.b',
  name: 'A',
  billing: 'hourly_capped',
  unit: 'hour',
  hourly: micro('0.011'),
  monthly: micro('7.50'),
  unitPrice: null,
  setup: 0n,
  included: 0n,
  tiers: [],
  elsewhere: null,
};

const entry = (quantity: number, rest: Partial<Entry> = {}): Entry => ({
  description: 'A',
  quantity: BigInt(quantity) * ONE,
  hours: 730,
  ...rest,
});

function only(lines: readonly Line[]): Line {
  const [line] = lines;
  if (!line || lines.length !== 1) throw new Error(`${lines.length} lines`);
  return line;
}

const rate = fc.bigInt({ min: 0n, max: 10n ** 10n });
const pieces = fc.integer({ min: 0, max: 1000 });
const hours = fc.integer({ min: 0, max: 730 });
const cents = fc.bigInt({ min: 0n, max: 10n ** 6n }).map((value) => value * 10_000n);

describe('hourly_capped', () => {
  it.each([
    [730, '7.50'],
    [682, '7.50'],
    [681, '7.49'],
    [100, '1.10'],
    [0, '0.00'],
  ])('for %i hours costs %s', (each, money) => {
    expect(only(linesOf(plain, entry(1, { hours: each }), 1)).monthly).toBe(micro(money));
  });

  it('is the smaller of the hours and the cap, rounded once', () => {
    fc.assert(
      fc.property(rate, cents, pieces, hours, (hourly, cap, quantity, each) => {
        const line = only(
          linesOf({ ...plain, hourly, monthly: cap }, entry(quantity, { hours: each }), quantity),
        );
        const used = hourly * BigInt(each);
        expect(line.monthly).toBe(toCents(BigInt(quantity) * least(used, cap)));
        expect(line.monthly).toBeLessThanOrEqual(BigInt(quantity) * cap);
        expect(line.hourly).toBe(hourly * BigInt(quantity));
      }),
    );
  });

  it('per gigabyte and month is charged for the part of the month', () => {
    const disk: Rate = { ...plain, unit: 'gb_month', hourly: null, monthly: null, unitPrice: micro('0.04') };
    expect(only(linesOf(disk, entry(40), 2))).toMatchObject({
      hourly: 2192n,
      monthly: micro('1.60'),
      unitCap: null,
    });
    expect(only(linesOf(disk, entry(40, { hours: 365 }), 2)).monthly).toBe(micro('0.80'));
  });

  it('never costs less for more', () => {
    fc.assert(
      fc.property(rate, cents, pieces, pieces, hours, (hourly, monthly, a, b, each) => {
        const cost = (quantity: number): bigint =>
          only(linesOf({ ...plain, hourly, monthly }, entry(quantity, { hours: each }), 1)).monthly;
        return a > b || cost(a) <= cost(b);
      }),
    );
  });
});

describe('monthly', () => {
  const server: Rate = { ...plain, billing: 'monthly', unit: 'month', hourly: null, monthly: micro('79') };

  it('costs the same for any number of hours', () => {
    expect(only(linesOf(server, entry(2, { hours: 1 }), 2))).toMatchObject({
      monthly: micro('158'),
      hourly: 216_438n,
    });
  });

  it('has its setup as a separate line', () => {
    const [line, setup] = linesOf({ ...server, setup: micro('49') }, entry(2), 2);
    expect(line).toMatchObject({ kind: 'monthly', setup: 0n });
    expect(setup).toMatchObject({ kind: 'one_time', monthly: 0n, hourly: null, setup: micro('98') });
  });
});

describe('metered', () => {
  const traffic: Rate = {
    ...plain,
    billing: 'metered',
    unit: 'gb',
    hourly: null,
    monthly: null,
    unitPrice: micro('0.001'),
    included: micro('20000'),
  };

  it('charges use above the included amount, and has no hourly price', () => {
    expect(only(linesOf(traffic, entry(42_000), 2))).toMatchObject({
      included: micro('40000'),
      billable: micro('2000'),
      monthly: micro('2'),
      hourly: null,
    });
    expect(only(linesOf(traffic, entry(1), 2)).monthly).toBe(0n);
  });

  it('is used for an expected use of an hourly SKU', () => {
    const line = only(linesOf(plain, entry(3, { expected: true }), 1));
    expect(line).toMatchObject({ kind: 'metered', hourly: null, monthly: micro('22.50') });
  });

  it('can bill more than the used amount', () => {
    const line = only(linesOf({ ...traffic, included: 0n }, entry(20, { billable: micro('30') }), 1));
    expect(line).toMatchObject({ quantity: micro('20'), billable: micro('30'), monthly: micro('0.03') });
  });
});

describe('tiers', () => {
  const tiers = [
    { from: 0n, unitPrice: micro('0.006') },
    { from: micro('50000'), unitPrice: micro('0.0055') },
    { from: micro('500000'), unitPrice: micro('0.005') },
  ];
  const stored: Rate = { ...plain, billing: 'metered', unit: 'gb_month', hourly: null, monthly: null, tiers };

  it.each([
    [0, ['0.00']],
    [50_000, ['300.00']],
    [60_000, ['300.00', '55.00']],
    [600_000, ['300.00', '2475.00', '500.00']],
  ])('of %i GB become lines of %j', (quantity, money) => {
    expect(linesOf(stored, entry(quantity), 1).map(({ monthly }) => monthly)).toEqual(
      money.map((each) => micro(each)),
    );
  });

  it('contain each unit once, besides the included amount', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_000_000 }), fc.nat({ max: 100_000 }), (quantity, included) => {
        const lines = linesOf({ ...stored, included: BigInt(included) * ONE }, entry(quantity), 1);
        expect(sum(lines.map((line) => line.quantity))).toBe(BigInt(quantity) * ONE);
        const billable = sum(lines.map((line) => line.billable ?? 0n));
        expect(billable).toBe(BigInt(Math.max(0, quantity - included)) * ONE);
      }),
    );
  });
});

describe('one_time', () => {
  it('has a setup price only', () => {
    const once: Rate = {
      ...plain,
      billing: 'one_time',
      unit: 'item',
      hourly: null,
      monthly: null,
      unitPrice: micro('25'),
    };
    expect(only(linesOf(once, entry(2), 2))).toMatchObject({ monthly: 0n, hourly: null, setup: micro('50') });
  });
});
