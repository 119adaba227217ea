import { describe, expect, it } from 'vitest';
import { micro } from '../../kernel/micro.ts';
import { formatMoney } from '../prices/format.ts';
import { monthOf } from './calendar.ts';
import type { Reading, Span } from './span.ts';
import { type Coming, commitmentsOn } from './spent.ts';

const origin = (resourceId: string) => ({
  resourceId,
  family: 'workshop',
  type: 'widget',
  location: null,
  labels: {},
  apiKeyId: null,
});

function span(
  resourceId: string,
  monthly: string,
  from: string,
  to: string | null = null,
  setup = '0',
): Span {
  const line = { unit: 'item', quantity: 1_000_000n, billable: 1_000_000n, hourly: 0n } as const;
  return {
    ...origin(resourceId),
    lines: [
      { ...line, sku: 'rent', pace: 'month', monthly: micro(monthly) },
      { ...line, sku: 'setup', pace: 'once', monthly: micro(setup) },
    ],
    startedAt: Date.parse(from),
    endedAt: to === null ? null : Date.parse(to),
  };
}

function committed(
  spans: readonly Span[],
  at: string,
  { readings = [], coming = [] }: { readings?: readonly Reading[]; coming?: readonly Coming[] } = {},
): string {
  const now = new Date(at);
  return formatMoney(commitmentsOn({ spans, readings }, monthOf(now), now)(() => true, coming));
}

describe('the committed cost of an account', () => {
  it.each(['2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z', '2026-04-30T23:59:59Z'])(
    'counts a resource that was created at %s for a whole month',
    (at) => {
      expect(committed([span('a', '10', at), span('b', '5', at)], at)).toBe('15.00');
    },
  );

  it('counts a deleted resource with its cost in this month', () => {
    const gone = span('a', '30', '2026-04-01T00:00:00Z', '2026-04-11T00:00:00Z');
    expect(committed([gone, span('b', '5', '2026-03-01T00:00:00Z')], '2026-04-20T00:00:00Z')).toBe('15.00');
  });

  it('counts a resource whose price rose in the month with its new price only', () => {
    const spans = [
      span('a', '10', '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z'),
      span('a', '20', '2026-04-16T00:00:00Z'),
    ];
    expect(committed(spans, '2026-04-16T00:00:00Z')).toBe('20.00');
  });

  it('counts a resource whose price fell with its cost of this month', () => {
    const spans = [
      span('a', '20', '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z'),
      span('a', '10', '2026-04-16T00:00:00Z'),
    ];
    expect(committed(spans, '2026-04-16T00:00:00Z')).toBe('15.00');
  });

  it('counts one-time prices in their month only, and metered use at its rate so far', () => {
    const spans = [span('a', '10', '2026-04-16T00:00:00Z', null, '7')];
    expect(committed(spans, '2026-04-16T00:00:00Z')).toBe('17.00');
    expect(committed(spans, '2026-05-16T00:00:00Z')).toBe('10.00');
    const readAt = Date.parse('2026-04-10T00:00:00Z');
    const cost = { quantity: 1n, billable: 1n, cost: micro('2') };
    const reading = { ...origin('a'), sku: 'traffic', unit: 'gb', readAt, ...cost };
    expect(committed(spans, '2026-04-16T00:00:00Z', { readings: [reading] })).toBe('21.00');
  });

  it('counts a resource that an operation changes with its later price, before and after the operation', () => {
    // Stopped after half of the month: 10 were spent, and a whole month costs 1.
    const stopped = [
      span('a', '20', '2026-04-01T00:00:00Z', '2026-04-16T00:00:00Z'),
      span('a', '1', '2026-04-16T00:00:00Z'),
    ];
    const start = { resourceId: 'a', monthly: micro('19'), monthlyAfter: micro('20') };
    const at = '2026-04-16T00:00:00Z';
    expect(committed(stopped, at)).toBe('10.50');
    expect(committed(stopped, at, { coming: [start] })).toBe('20.00');
    const running = [...stopped.slice(0, 1), span('a', '20', at)];
    expect(committed(running, at, { coming: [start] })).toBe('20.00');
  });

  it('counts new resources, and changes to resources of another scope, with the added cost', () => {
    const start = { resourceId: 'b', monthly: micro('19'), monthlyAfter: micro('20') };
    const earlier = { resourceId: null, monthly: micro('3'), monthlyAfter: 0n };
    expect(committed([], '2026-04-16T00:00:00Z', { coming: [start, earlier] })).toBe('22.00');
  });
});
