import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micro, ONE, sum } from '../../kernel/micro.ts';
import { cents, FIRST, LAST, ledger, moment } from '../../testing/ledgers.ts';
import { demoTariff } from '../../testing/tariff.ts';
import { price } from '../prices/price.ts';
import { type Part, partsOf, type Stretch } from './accrual.ts';
import { DAY_MS, HOUR_MS, monthAt } from './calendar.ts';
import { type MeterLine, meterLines } from './line.ts';
import type { Ledger, Span } from './span.ts';
import { asPaid } from './span-lines.ts';
import { groupings, groupUsage } from './usage.ts';

const time = (text: string): number => Date.parse(text);

const hourLine: MeterLine = {
  sku: 'vps.flex-2-4',
  unit: 'hour',
  pace: 'hour',
  quantity: ONE,
  billable: ONE,
  hourly: ONE * micro('0.011'),
  monthly: micro('7.5'),
};
const monthLine: MeterLine = {
  sku: 'volume.standard',
  unit: 'gb_month',
  pace: 'month',
  quantity: 100n * ONE,
  billable: 100n * ONE,
  hourly: 0n,
  monthly: micro('4.40'),
};

const stretch = fc
  .tuple(moment, moment)
  .map(([a, b]): Stretch => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const costOf = (spent: Iterable<Part>): bigint => sum([...spent].map(({ cost }) => cost));
const totalOf = (of: Ledger, over: Stretch): bigint => costOf(partsOf(of, over));
const one = (span: Partial<Span>): Ledger => ({
  spans: [
    {
      resourceId: 'r1',
      family: 'flexible-vps',
      type: 'vm',
      location: 'fra1',
      labels: {},
      apiKeyId: null,
      lines: [hourLine],
      startedAt: FIRST,
      endedAt: null,
      ...span,
    },
  ],
  readings: [],
});

describe('the cost of a period', () => {
  it('is the sum of its groups in any grouping', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, stretch, async (of, over) => {
        const total = totalOf(of, over);
        const period = { from: new Date(over.from), to: new Date(over.to) };
        for (const by of groupings) {
          const usage = await groupUsage(of, period, { by, labelKey: by === 'label' ? 'env' : undefined });
          expect([by, usage.fixed + usage.metered]).toEqual([by, total]);
          expect([by, sum(usage.groups.map(({ cost }) => cost))]).toEqual([by, total]);
        }
      }),
    );
  });

  it('is the sum of its parts, to the last millionth', () => {
    fc.assert(
      fc.property(ledger, stretch, fc.array(moment, { maxLength: 4 }), (of, over, cuts) => {
        // Also cut at span starts: a one-time price at a start must count in one part only.
        const edgesOf = [...cuts, ...of.spans.map(({ startedAt }) => startedAt)];
        const inside = edgesOf.filter((cut) => cut > over.from && cut < over.to).sort((a, b) => a - b);
        const edges = [over.from, ...inside, over.to];
        const parts = edges.slice(1).map((to, i) => totalOf(of, { from: edges[i] ?? 0, to }));
        expect(sum(parts)).toBe(totalOf(of, over));
      }),
    );
  });

  it('does not depend on changes of labels', () => {
    fc.assert(
      fc.property(ledger, stretch, fc.array(moment, { maxLength: 6 }), (of, over, changes) => {
        const relabelled = of.spans.flatMap((span) => cutSpan(span, changes));
        expect(totalOf({ ...of, spans: relabelled }, over)).toBe(totalOf(of, over));
      }),
    );
  });

  it('never shrinks as time passes', () => {
    fc.assert(
      fc.property(ledger, stretch, (of, over) => {
        for (const part of partsOf(of, { ...over, byDay: true }))
          expect(part.cost >= 0n && part.quantity >= 0n).toBe(true);
      }),
    );
  });

  it('equals a simple calculation in floating point', () => {
    fc.assert(
      fc.property(moment, moment, stretch, fc.bigInt(1n, 30_000n), cents, (a, b, over, hourly, monthly) => {
        const startedAt = Math.min(a, b);
        const endedAt = Math.max(a, b);
        const rates = { ...hourLine, hourly: ONE * hourly, monthly };
        let byHand = 0;
        for (let { from, to } = monthAt(FIRST); from < LAST; { from, to } = monthAt(to)) {
          const until = (end: number) =>
            Math.min(
              Number(monthly),
              (Math.max(0, Math.min(end, endedAt, to) - Math.max(startedAt, from)) / HOUR_MS) *
                Number(hourly),
            );
          byHand += until(over.to) - until(over.from);
        }
        const metered = totalOf(one({ startedAt, endedAt, lines: [rates] }), over);
        expect(Math.abs(Number(metered) - byHand)).toBeLessThan(4);
      }),
    );
  });
});

/** Splits a span at these moments, with other labels in each piece, as the meter does on a label change. */
function cutSpan(span: Span, moments: readonly number[]): Span[] {
  const end = span.endedAt ?? LAST;
  const inside = [...new Set(moments)].filter((at) => at > span.startedAt && at < end).sort((a, b) => a - b);
  return [span.startedAt, ...inside].map((startedAt, i) => ({
    ...span,
    startedAt,
    endedAt: inside[i] ?? span.endedAt,
    labels: i === 0 ? span.labels : { change: `${i}` },
    lines: i === 0 ? span.lines : span.lines.map(asPaid),
  }));
}

describe('a whole month', () => {
  const things: readonly [string, Record<string, unknown>][] = [
    ['vm', { location: 'fra1', plan: 'flex-2-4', disk_gb: 103 }],
    ['volume', { location: 'fra1', size_gb: 77 }],
    ['address', { location: 'fra1', family: 'ipv4' }],
    ['vpn_gateway', { location: 'fra1' }],
  ];
  const months = ['2026-12', '2027-02', '2028-02', '2027-03', '2027-04', '2027-10'];

  it.each(months.flatMap((month) => things.map((thing) => [month, ...thing] as const)))(
    '%s of a %s costs exactly what the estimate says',
    (name, type, configuration) => {
      const { from, to } = monthAt(time(`${name}-01T00:00:00Z`));
      const days = (to - from) / DAY_MS;
      const estimate = price(demoTariff, type, configuration, { at: new Date(from) });
      if (!estimate.ok) throw new Error(type);
      const parts = [...partsOf(one({ lines: meterLines(estimate.item.lines) }), { from, to })];
      const fixed = estimate.item.lines.filter(({ kind }) => kind !== 'metered');
      expect(fixed.length).toBeGreaterThan(0);
      for (const { sku, unit, monthly, quantity, unitPrice } of fixed) {
        const cost = costOf(parts.filter((part) => part.sku === sku));
        // Only February is too short for some hourly prices to reach their monthly cap.
        const reached = (quantity * unitPrice * BigInt(days * 24)) / ONE;
        const expected = unit === 'hour' && reached < monthly ? reached : monthly;
        expect([sku, cost]).toEqual([sku, expected]);
        if (days > 29) expect([sku, cost]).toEqual([sku, monthly]);
      }
    },
  );

  it('has one cap for each SKU of a resource, across all labels', () => {
    const from = time('2024-03-01T00:00:00Z');
    const whole = one({ startedAt: from });
    const cut = { ...whole, spans: cutSpan(whole.spans[0] as Span, [from + 20 * DAY_MS]) };
    const march = { from, to: time('2024-04-01T00:00:00Z') };
    expect([totalOf(whole, march), totalOf(cut, march)]).toEqual([micro('7.5'), micro('7.5')]);
    const late = [...partsOf(cut, march)].filter(({ origin }) => origin.labels['change'] === '1');
    // The first labels have 480 hours, so 2.22 of the monthly cap remain for the second labels.
    expect(costOf(late)).toBe(micro('2.22'));
  });

  it('starts again at midnight UTC of the first day', () => {
    const from = time('2024-02-29T23:00:00Z');
    const to = time('2024-03-01T02:00:00Z');
    const parts = [...partsOf(one({ startedAt: from }), { from, to })];
    expect(parts.map(({ cost }) => cost)).toEqual([micro('0.011'), micro('0.022')]);
    // January and February reach the cap; March has two hours.
    const since = one({ startedAt: time('2024-01-01T00:00:00Z') });
    const total = totalOf(since, { from: time('2024-01-01T00:00:00Z'), to });
    expect(total).toBe(micro('7.5') + micro('7.5') + micro('0.022'));
  });
});

describe('a new price', () => {
  it('splits the cost at its start, each part at its own price', () => {
    fc.assert(
      fc.property(moment, cents, cents, (at, before, after) => {
        const price1 = { ...monthLine, monthly: before };
        const price2 = { ...monthLine, monthly: after };
        const [first] = one({ lines: [price1], endedAt: at }).spans;
        const [second] = one({ lines: [price2], startedAt: at, endedAt: LAST }).spans;
        const both = { spans: [first as Span, second as Span], readings: [] };
        const all = { from: FIRST, to: LAST };
        const apart = totalOf(one(first as Span), all) + totalOf(one(second as Span), all);
        const difference = totalOf(both, all) - apart;
        expect(difference >= -1n && difference <= 1n).toBe(true);
      }),
    );
  });

  it('that is lower refunds nothing, and one that is higher raises the cap', () => {
    const from = time('2024-03-01T00:00:00Z');
    const march = { from, to: time('2024-04-01T00:00:00Z') };
    const change = (monthly: string) => {
      const [first] = one({ startedAt: from, endedAt: from + 30 * DAY_MS }).spans;
      const [second] = one({
        startedAt: from + 30 * DAY_MS,
        lines: [{ ...hourLine, monthly: micro(monthly) }],
      }).spans;
      return totalOf({ spans: [first as Span, second as Span], readings: [] }, march);
    };
    expect([change('5'), change('7.6'), change('9')]).toEqual([micro('7.5'), micro('7.6'), micro('7.764')]);
  });
});
