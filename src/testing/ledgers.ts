/** Generates histories of resources for property tests of the meter. */
import fc from 'fast-check';
import { ONE } from '../kernel/micro.ts';
import type { MeterLine } from '../money/metering/line.ts';
import type { Ledger, Span } from '../money/metering/span.ts';

// This range contains a year's end, a leap day and the start of summer time in Europe.
export const FIRST = Date.parse('2023-11-20T00:00:00Z');
export const LAST = Date.parse('2024-04-10T00:00:00Z');

export const moment = fc.integer({ min: FIRST, max: LAST });
export const cents = fc.integer({ min: 1, max: 100_000 }).map((n) => BigInt(n) * 10_000n);
const line: fc.Arbitrary<MeterLine> = fc
  .record({
    sku: fc.constantFrom('a', 'b'),
    pace: fc.constantFrom('hour', 'month', 'once'),
    quantity: fc.integer({ min: 1, max: 50 }).map((n) => BigInt(n) * ONE),
    hourly: fc.bigInt({ min: 1n, max: 400_000n }),
    monthly: cents,
  })
  .map(({ sku, pace, quantity, hourly, monthly }) => ({
    sku,
    unit: pace === 'hour' ? 'hour' : pace === 'month' ? 'gb_month' : 'item',
    pace,
    quantity,
    billable: quantity,
    hourly: pace === 'hour' ? quantity * hourly : 0n,
    monthly,
  }));
export const lines = fc.uniqueArray(line, { maxLength: 4, selector: ({ sku, pace }) => `${sku} ${pace}` });
export const labels = fc.constantFrom<Record<string, string>>(
  {},
  { env: 'prod' },
  { env: 'test', team: 'a' },
);

/** The history of one resource in time order: each pair of moments is a span, and some spans are adjacent. */
const spansOf = (resourceId: string): fc.Arbitrary<Span[]> =>
  fc
    .tuple(
      fc.uniqueArray(moment, { minLength: 1, maxLength: 7 }),
      fc.array(fc.record({ lines, labels, gap: fc.boolean() }), { minLength: 7, maxLength: 7 }),
      fc.boolean(),
      fc.constantFrom('fra1', 'ams1', null),
    )
    .map(([moments, facts, isOpen, location]) => {
      const times = [...moments].sort((a, b) => a - b);
      return times
        .map((startedAt, i): Span & { gap: boolean } => ({
          resourceId,
          family: resourceId === 'r1' ? 'flexible-vps' : 'kubernetes',
          type: `t-${resourceId}`,
          location,
          labels: facts[i]?.labels ?? {},
          apiKeyId: null,
          lines: facts[i]?.lines ?? [],
          gap: facts[i]?.gap === true,
          startedAt,
          endedAt: times[i + 1] ?? (isOpen ? null : LAST),
        }))
        .filter(({ gap }) => !gap);
    });
export const ledger: fc.Arbitrary<Ledger> = fc
  .tuple(spansOf('r1'), spansOf('r2'), spansOf('r3'))
  .map((resources) => ({ spans: resources.flat(), readings: [] }));
