import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micro, micro } from '../../kernel/micro.ts';
import { formatMoney } from '../prices/format.ts';
import {
  actions,
  bases,
  blockings,
  crossedBy,
  type Declaration,
  isUsedUp,
  percentUsed,
  periodOf,
  refuses,
  sameThreshold,
  statusOf,
  type Threshold,
} from './budget.ts';
import { looseningsOf } from './loosening.ts';

const threshold = fc.record({ percent: fc.integer({ min: 1, max: 200 }), basis: fc.constantFrom(...bases) });
const money = fc.bigInt({ min: 0n, max: 20_000_000_000_000n });
const figures = fc.record({ spent: money, forecast: money });
const amount = fc.bigInt({ min: 10_000n, max: 10_000_000_000_000n }).map((value) => formatMoney(value));
const names = (all: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 }), { nil: null });
const declaration: fc.Arbitrary<Declaration> = fc.record({
  amount,
  currency: fc.constant('EUR'),
  scope: fc.record({
    families: names(['account', 'storage', 'flexible-vps']),
    label_selector: fc.option(fc.constantFrom('env=prod', '!legacy'), { nil: null }),
    api_key_ids: names(['key_a', 'key_b']),
  }),
  thresholds: fc.uniqueArray(threshold, {
    minLength: 1,
    maxLength: 5,
    selector: ({ percent, basis }) => `${percent} ${basis}`,
  }),
  action: fc.constantFrom(...actions),
  blocks: fc.constantFrom(...blockings),
  emails: fc.uniqueArray(fc.constantFrom('a@example.com', 'b@example.com')),
  description: fc.string(),
});

const base: Declaration = {
  amount: '100.00',
  currency: 'EUR',
  scope: { families: null, label_selector: null, api_key_ids: null },
  thresholds: [
    { percent: 50, basis: 'actual' },
    { percent: 80, basis: 'actual' },
  ],
  action: 'block_new_cost',
  blocks: 'forecast',
  emails: ['ada@example.com'],
  description: '',
};

const at = (spent: string, forecast = spent): { spent: Micro; forecast: Micro } => ({
  spent: micro(spent),
  forecast: micro(forecast),
});

describe('a budget', () => {
  it.each([
    ['49.999999', 'ok', 49.9],
    ['50.00', 'warning', 50],
    ['99.999999', 'warning', 99.9],
    ['100.00', 'blocking', 100],
    ['250.00', 'blocking', 250],
  ])('of 100.00 with %s spent is %s', (spent, status, percent) => {
    expect(statusOf(base, at(spent), [])).toBe(status);
    expect(percentUsed(base, at(spent))).toBe(percent);
  });

  it('that only notifies is exceeded, never blocking', () => {
    expect(statusOf({ ...base, action: 'notify' }, at('100.00'), [])).toBe('exceeded');
  });

  it('has the status warning by its forecast, and keeps it when the forecast falls', () => {
    const forecast: Threshold = { percent: 110, basis: 'forecast' };
    const budget = { ...base, thresholds: [forecast] };
    expect(statusOf(budget, at('10.00', '109.99'), [])).toBe('ok');
    expect(statusOf(budget, at('10.00', '110.00'), [])).toBe('warning');
    expect(statusOf(budget, at('10.00', '50.00'), [forecast])).toBe('warning');
  });

  it('has a threshold at 100 percent even if none is declared', () => {
    expect(crossedBy(base, at('100.00'))).toContainEqual({ percent: 100, basis: 'actual' });
    const explicit = { ...base, thresholds: [{ percent: 100, basis: 'actual' } as const] };
    expect(crossedBy(explicit, at('100.00'))).toHaveLength(1);
  });

  it('crosses more thresholds the more is spent, and is used up exactly at its amount', () => {
    fc.assert(
      fc.property(declaration, figures, money, (budget, now, more) => {
        const later = { spent: now.spent + more, forecast: now.forecast + more };
        expect(crossedBy(budget, later)).toEqual(expect.arrayContaining(crossedBy(budget, now)));
        expect(isUsedUp(budget, now)).toBe(now.spent >= micro(budget.amount));
        expect(percentUsed(budget, now) >= 100).toBe(isUsedUp(budget, now));
      }),
    );
  });

  it.each([
    ['99.99', '100.00', false, false],
    ['0.00', '100.004', false, false],
    ['0.00', '100.01', false, true],
    ['100.00', '100.00', true, true],
  ])('of 100.00 with %s spent and %s committed', (spent, committed, bySpent, byForecast) => {
    const load = { spent: micro(spent), committed: micro(committed) };
    expect(refuses({ ...base, blocks: 'spent' }, load)).toBe(bySpent);
    expect(refuses({ ...base, blocks: 'forecast' }, load)).toBe(byForecast);
  });

  it('counts by the calendar month of UTC', () => {
    expect(periodOf(new Date('2026-03-31T23:59:59.999Z'))).toBe('2026-03');
  });
});

describe('loosening', () => {
  const loosened: [string, Partial<Declaration>][] = [
    ['a higher amount', { amount: '100.01' }],
    ['a threshold less', { thresholds: [{ percent: 50, basis: 'actual' }] }],
    ['a raised threshold', { thresholds: [50, 81].map((percent) => ({ percent, basis: 'actual' })) }],
    [
      'another basis',
      {
        thresholds: [
          { percent: 50, basis: 'actual' },
          { percent: 80, basis: 'forecast' },
        ],
      },
    ],
    ['fewer families', { scope: { ...base.scope, families: ['storage'] } }],
    ['a selector', { scope: { ...base.scope, label_selector: 'env=prod' } }],
    ['only some keys', { scope: { ...base.scope, api_key_ids: ['key_a'] } }],
    [
      'a lower threshold in place of another',
      { thresholds: [1, 80].map((percent) => ({ percent, basis: 'actual' })) },
    ],
    ['no more blocking', { action: 'notify' }],
    ['to look no more ahead', { blocks: 'spent' }],
    ['somebody who is told no more', { emails: [] }],
  ];
  it.each(loosened)('is %s', (_, change) => {
    expect(looseningsOf(base, { ...base, ...change })).toHaveLength(1);
  });

  const tightened: [string, Partial<Declaration>][] = [
    ['a lower amount', { amount: '99.99' }],
    ['one more threshold', { thresholds: [...base.thresholds, { percent: 10, basis: 'forecast' }] }],
    ['the same thresholds in another order', { thresholds: base.thresholds.toReversed() }],
    ['one more address', { emails: ['ADA@example.com', 'bob@example.com'] }],
    ['another description', { description: 'new' }],
  ];
  it.each(tightened)('is not %s', (_, change) => {
    expect(looseningsOf(base, { ...base, ...change })).toEqual([]);
  });

  it('does not include a wider scope, or starting to block', () => {
    const narrow = {
      ...base,
      action: 'notify' as const,
      scope: { families: ['storage'], label_selector: 'env=prod', api_key_ids: ['key_a'] },
    };
    expect(looseningsOf(narrow, base)).toEqual([]);
    const wider = { families: ['storage', 'account'], label_selector: 'env=prod', api_key_ids: null };
    expect(looseningsOf(narrow, { ...narrow, scope: wider })).toEqual([]);
  });

  const lower = ({ amount, ...rest }: Declaration, by: number): Declaration => ({
    ...rest,
    amount: formatMoney(micro(amount) / BigInt(by)),
  });

  it('does not include a lower amount, which crosses no fewer thresholds', () => {
    fc.assert(
      fc.property(declaration, fc.integer({ min: 1, max: 9 }), figures, (before, by, now) => {
        fc.pre(micro(before.amount) >= 100_000n);
        const after = lower(before, by);
        expect(looseningsOf(before, after)).toEqual([]);
        const set = ({ thresholds, ...rest }: Declaration) =>
          crossedBy({ thresholds, ...rest }, now).filter((one) => thresholds.includes(one)).length;
        expect(set(after)).toBeGreaterThanOrEqual(set(before));
        if (isUsedUp(before, now)) expect(isUsedUp(after, now)).toBe(true);
      }),
    );
  });

  it('includes every removal of a threshold, whatever replaces it', () => {
    fc.assert(
      fc.property(declaration, declaration, (before, { thresholds }) => {
        const kept = before.thresholds.every((one) => thresholds.some((other) => sameThreshold(one, other)));
        expect(looseningsOf(before, { ...before, thresholds }).length > 0).toBe(!kept);
      }),
    );
  });

  it('is asymmetric: of two different budgets, at least one change direction loosens', () => {
    fc.assert(
      fc.property(declaration, declaration, (one, other) => {
        fc.pre(micro(one.amount) !== micro(other.amount));
        expect(looseningsOf(one, other).length + looseningsOf(other, one).length).toBeGreaterThan(0);
      }),
    );
  });
});
