/** Computes the meter lines of a span at a given time, always with the price function. */
import type { Catalogue } from '../../provider/catalogue.ts';
import type { References } from '../prices/bill.ts';
import { bookOf } from '../prices/book.ts';
import { type PricedItem, price } from '../prices/price.ts';
import type { Tariff } from '../prices/tariff.ts';
import { laterOf } from './calendar.ts';
import { isRunning, keyOf, type MeterLine, meterLines, sameRates } from './line.ts';

/** The configuration to price, and the resource type whose rules apply. */
export interface Subject {
  readonly pricedAs: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly contractMonths?: number;
  /** A stopped machine is priced with 0 hours per month: only the resources that it still reserves cost. */
  readonly isStopped?: boolean;
}

export interface Before {
  readonly lines: readonly MeterLine[];
  /** The configuration did not change; only price, labels or location may differ. */
  readonly isUnchanged: boolean;
}

export type Metered =
  | { readonly ok: true; readonly item: PricedItem; readonly lines: readonly MeterLine[] }
  | { readonly ok: false; readonly reason: string };

export function meter(
  tariff: Tariff,
  { pricedAs, configuration, contractMonths = 1, isStopped = false }: Subject,
  at: Date,
  before: Before | null,
  references?: References,
): Metered {
  const priced = price(tariff, pricedAs, configuration, {
    at,
    contractMonths,
    ...(isStopped ? { hoursPerMonth: 0 } : {}),
    ...(before === null ? {} : { existing: before.isUnchanged ? 'unchanged' : before.lines }),
    ...(references === undefined ? {} : { references }),
  });
  if (!priced.ok) {
    return {
      ok: false,
      reason: priced.problems.map(({ pointer, detail }) => `${pointer} ${detail}`).join(' '),
    };
  }
  const item = isStopped ? standingStill(priced.item) : priced.item;
  if (item.unpriced.length > 0) return { ok: false, reason: `No price for ${item.unpriced.join(', ')}.` };
  const lines = meterLines(item.lines);
  return { ok: true, item, lines: before === null ? lines : succeed(before.lines, lines, item) };
}

/** Counts in the hourly price only the lines that also cost while the machine is stopped. */
const standingStill = (item: PricedItem): PricedItem => ({
  ...item,
  hourly: item.lines.reduce((sum, { hourly, monthly }) => (monthly === 0n ? sum : sum + (hourly ?? 0n)), 0n),
});

/** A paid one-time line stays in the span with amount 0, so that it is not charged again. */
export const asPaid = (line: MeterLine): MeterLine =>
  isRunning(line) ? line : { ...line, quantity: 0n, billable: 0n, monthly: 0n };

/**
 * Carries paid one-time lines over to the new lines. A line is dropped when the resource no longer uses its
 * SKU; using the SKU again is charged again, as the estimate of a change shows.
 */
function succeed(before: readonly MeterLine[], after: readonly MeterLine[], item: PricedItem): MeterLine[] {
  const skus = new Set(item.lines.map(({ sku }) => sku));
  const paid = before.filter((line) => !isRunning(line) && skus.has(line.sku)).map(asPaid);
  const keys = new Set(paid.map(keyOf));
  return [...after.filter((line) => !keys.has(keyOf(line))), ...paid];
}

export interface Segment {
  readonly at: Date;
  readonly item: PricedItem;
  readonly lines: readonly MeterLine[];
}

export interface Priced extends Subject {
  readonly lines: readonly MeterLine[];
  readonly pricedAt: Date;
  readonly startedAt: Date;
}

/**
 * The price changes since the span was priced, each from the time in the price list. A span that no longer has
 * a price keeps the last one, and `onKept` gets the reason.
 */
export function priceChanges(
  tariff: Tariff,
  span: Priced,
  moments: readonly Date[],
  onKept: (reason: string) => void,
): Segment[] {
  const segments: Segment[] = [];
  let { lines } = span;
  for (const moment of moments) {
    const metered = meter(tariff, span, moment, { lines, isUnchanged: true });
    if (!metered.ok) onKept(metered.reason);
    else if (!sameRates(lines, metered.lines)) {
      lines = metered.lines;
      segments.push({ at: laterOf(moment, span.startedAt), item: metered.item, lines });
    }
  }
  return segments;
}

/** The times between `after` and `before` at which prices of these lines (default: of all SKUs) begin or end. */
export function momentsBetween(
  catalogue: Catalogue,
  after: Date,
  before: Date,
  lines?: readonly MeterLine[],
): Date[] {
  const { versions } = bookOf(catalogue);
  const times = new Set<number>();
  for (const sku of lines?.map((line) => line.sku) ?? versions.keys()) {
    for (const version of versions.get(sku) ?? []) {
      for (const time of [version.from, version.until]) {
        if (time > after.getTime() && time < before.getTime()) times.add(time);
      }
    }
  }
  return [...times].sort((a, b) => a - b).map((time) => new Date(time));
}
