/** Which lines a span has, now or at any time since it began: always as the price function says. */

import type { Catalogue } from '../../provider/catalogue.ts';
import type { References } from '../prices/bill.ts';
import { bookOf } from '../prices/book.ts';
import { type PricedItem, price } from '../prices/price.ts';
import type { Tariff } from '../prices/tariff.ts';
import { laterOf } from './calendar.ts';
import { isRunning, keyOf, type MeterLine, meterLines, sameRates } from './line.ts';

/** What is priced, and by the rules of which type. */
export interface Subject {
  readonly pricedAs: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly contractMonths?: number;
  /** Then only what is held for it costs: it runs for no hour of the month. */
  readonly isStopped?: boolean;
}

export interface Before {
  readonly lines: readonly MeterLine[];
  /** Nothing but its price, its labels or its place changes. */
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

/** By the hour, too, only what is held for it costs. */
const standingStill = (item: PricedItem): PricedItem => ({
  ...item,
  hourly: item.lines.reduce((sum, { hourly, monthly }) => (monthly === 0n ? sum : sum + (hourly ?? 0n)), 0n),
});

/** What was paid at once is remembered at no cost, so that it is not charged again. */
export const asPaid = (line: MeterLine): MeterLine =>
  isRunning(line) ? line : { ...line, quantity: 0n, billable: 0n, monthly: 0n };

/** It is forgotten when its SKU goes: whoever comes back to it pays again, as the estimate of a change says. */
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
 * The prices that came into force since it was priced: each from the moment the price list gives. What has no price any
 * more keeps the last one; `onKept` hears why.
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

/** When prices of these lines (of all, if none are given) begin and end, after one time and before another. */
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
