/** What the page of the usage makes of a report, and the periods that it lets people choose. */
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../portal/src/data/csv.ts';
import { boundsOf, ownPeriod, whyNoPeriod } from '../../../portal/src/pages/usage/periods.ts';
import { stacksOf } from '../../../portal/src/pages/usage/stacks.ts';
import { type Figures, linesOf } from '../../../portal/src/pages/usage/table.ts';

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
  const used = (sku: string) => ({
    sku,
    name: sku,
    unit: 'hour',
    quantity: '2',
    included: '0',
    billable: '2',
  });
  const figures: Figures = {
    groups: [],
    currency: 'EUR',
    period: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-05T00:00:00.000Z' },
    data_complete_until: '2026-03-03T11:20:00.000Z',
    isWhole: true,
  };
  /** Day, group, SKU, cost and note. */
  const short = (changed: Partial<Figures>, title = 'type') =>
    linesOf({ ...figures, ...changed }, title).map((line) => [0, 1, 2, 8, 9].map((at) => line[at]));

  it('has each day of the period, by day, the cost of a day and a group once, and a reason for each gap', () => {
    const groups = [
      group('vm', days[0]!, '1.50'),
      { ...group('volume', days[0]!, '0.5'), quantities: [used('a'), used('b')] },
      { ...group('vm', '2026-03-03', '2'), quantities: [used('c')] },
    ];
    const part = 'The cost of this item is part of the cost in the line above that has one.';
    expect(short({ groups })).toEqual([
      ['day', 'type', 'sku', 'cost_eur', 'note'],
      [days[0], 'vm', '', '1.50', ''],
      [days[0], 'volume', 'a', '0.5', ''],
      [days[0], 'volume', 'b', '', part],
      [days[1], '', '', '0', 'Nothing was used.'],
      ['2026-03-03', 'vm', 'c', '2', 'Counted until 11:20 UTC: the day is not over.'],
      ['2026-03-04', '', '', '', 'This day has not begun.'],
    ]);
  });

  it('says why a group has no name', () => {
    const of = (key: object) => [{ key: { ...key, day: days[0]! }, quantities: [], cost: '3' }];
    expect(short({ groups: of({ label_value: null }) }, 'label env')[1]).toEqual([
      days[0],
      '',
      '',
      '3',
      'These resources do not have the label.',
    ]);
    expect(short({ groups: of({ location: null }) })[1]?.at(-1)).toBe('This cost has no location.');
  });

  it('says in its last line that it is not whole, and gives days without lines no cost', () => {
    const lines = short({ isWhole: false, groups: [group('vm', days[0]!, '1')] });
    expect(lines[2]).toEqual([days[1], '', '', '', 'No line of this file is about this day.']);
    expect(lines.at(-1)?.at(-1)).toMatch(/^There is more than a file can have: choose fewer days/);
  });

  it('has numbers as numbers, and nothing that a spreadsheet would calculate', () => {
    const named = { key: { label_value: '=1+1', day: days[0]! }, quantities: [used('a')], cost: '-1.50' };
    const [head, line] = csvOf(linesOf({ ...figures, groups: [named] }, '@label')).split('\r\n');
    expect(head).toBe("\ufeffday,'@label,sku,name,unit,quantity,included,billable,cost_eur,note");
    expect(line).toBe("2026-03-01,'=1+1,a,a,hour,2,0,2,-1.50,");
  });

  it.each(['=1', '+1x', '-1x', '@a', '\t=1', '\r=1', '\n=1'])('guards %j', (text) => {
    expect(csvOf([[text]])).toMatch(/^\ufeff"?'/);
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
