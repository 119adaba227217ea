/** What the page of the usage makes of a report, and the periods that it lets people choose. */
import { describe, expect, it } from 'vitest';
import { boundsOf, ownPeriod, whyNoPeriod } from '../../../portal/src/pages/usage/periods.ts';
import { stacksOf } from '../../../portal/src/pages/usage/stacks.ts';
import { linesOf } from '../../../portal/src/pages/usage/table.ts';

const days = ['2026-03-01', '2026-03-02'];
const group = (type: string, day: string, cost: string) => ({
  key: { family: 'f', resource_type: type, day },
  quantities: [],
  cost,
});

describe('the stacks of a day', () => {
  it('are the dearest first, with nothing on days without cost', () => {
    const groups = [
      group('volume', days[0]!, '0.5'),
      group('vm', days[1]!, '2'),
      group('volume', days[1]!, '1'),
    ];
    expect(stacksOf(groups, days)).toEqual([
      { key: { family: 'f', resource_type: 'vm' }, values: [0, 2] },
      { key: { family: 'f', resource_type: 'volume' }, values: [0.5, 1] },
    ]);
  });

  it('are at most as many as a chart has colours, the last one with all others', () => {
    const groups = Array.from({ length: 9 }, (_, i) => group(`t${i}`, days[i % 2]!, String(10 - i)));
    const stacks = stacksOf(groups, days);
    expect([stacks.length, stacks.at(-1)]).toEqual([6, { key: null, values: [4 + 2, 5 + 3] }]);
  });

  it('are one of nothing if nothing was used', () => {
    expect(stacksOf([], days)).toEqual([{ key: null, values: [0, 0] }]);
  });
});

describe('the file', () => {
  it('has the day in each line, and the cost of a day and a group once', () => {
    const used = (sku: string) => ({
      sku,
      name: sku,
      unit: 'hour',
      quantity: '2',
      included: '0',
      billable: '2',
    });
    const groups = [{ ...group('vm', days[0]!, '1.50'), quantities: [used('a'), used('b')] }];
    const lines = linesOf({ groups, currency: 'EUR' }, 'type', ({ resource_type: type }) => type ?? '');
    expect(lines.map((line) => [line[0], line[1], line[2], line.at(-1)])).toEqual([
      ['day', 'type', 'sku', 'group_cost_eur'],
      [days[0], 'vm', 'a', '1.50'],
      [days[0], 'vm', 'b', ''],
    ]);
  });

  it('has no day where the report has none, and a line for a cost without quantities', () => {
    const groups = [{ key: { family: 'f' }, quantities: [], cost: '3' }];
    expect(linesOf({ groups, currency: 'USD' }, 'family', ({ family }) => family ?? '')).toEqual([
      ['family', 'sku', 'name', 'unit', 'quantity', 'included', 'billable', 'group_cost_usd'],
      ['f', '', '', '', '', '', '', '3'],
    ]);
  });
});

describe('own dates', () => {
  it('include the last day', () => {
    const period = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z' };
    expect(ownPeriod({ from: days[0], until: days[1] })).toEqual(period);
  });

  it.each([
    [{ from: '2026-03-02', until: '2026-03-01' }, /before/],
    [{ from: '2025-01-01', until: '2026-03-01' }, /At most 400 days/],
    [{ from: '2026-03-01' }, /Choose/],
    [{ from: 'x', until: '2026-03-01' }, /Choose/],
  ])('%j are none', (dates, words) => {
    expect(whyNoPeriod(dates)).toMatch(words);
  });

  it('reach as far as the API allows, and no further', () => {
    const { until } = boundsOf({ from: '2026-03-01', until: '2026-03-01' });
    expect(whyNoPeriod({ from: '2026-03-01', until: until.max })).toBeUndefined();
    const after = new Date(Date.parse(until.max ?? '') + 86_400_000).toISOString().slice(0, 10);
    expect(whyNoPeriod({ from: '2026-03-01', until: after })).toMatch(/At most/);
  });
});
