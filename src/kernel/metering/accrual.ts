/**
 * From spans to money. Nothing is accrued ahead of being asked: what a stretch of time costs follows from the spans
 * alone, so a restart cannot lose or double anything.
 *
 * All sums are exact integers of 1/FINE until the end. The sum of one resource, SKU and month is rounded as it runs,
 * and a part costs the difference between the rounded sums at its two ends: parts add up to the whole to the last
 * millionth, however time is cut.
 */
import { divide, least, type Micro, most, ONE } from '../prices/micro.ts';
import { DAY_MS, HOUR_MS, type Month, monthAt, startOfDay } from './calendar.ts';
import { keyOf, type MeterLine } from './line.ts';
import type { Ledger, Origin, Reading, Span } from './span.ts';

/** Every month's days divide it. */
const DAYS = BigInt(28 * 29 * 15 * 31);
const FINE = ONE * BigInt(DAY_MS) * DAYS;
const PER_HOUR = FINE / BigInt(HOUR_MS);
/** Prices of an hour have twelve digits. */
const HOURLY = PER_HOUR / ONE;

/** What one SKU of one resource cost within one month (and, cut so, one day), under one set of labels. */
export interface Part {
  readonly origin: Origin;
  readonly at: number;
  readonly sku: string;
  readonly unit: string;
  readonly kind: 'fixed' | 'metered';
  readonly quantity: Micro;
  readonly billable: Micro;
  readonly cost: Micro;
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Cut at every midnight, so that each part belongs to one day. */
  readonly byDay?: boolean;
}

interface Sum {
  cost: bigint;
  quantity: bigint;
  billable: bigint;
}

const nothing: Readonly<Sum> = { cost: 0n, quantity: 0n, billable: 0n };

const rounded = ({ cost, quantity, billable }: Sum): Sum => ({
  cost: divide(cost, FINE),
  quantity: divide(quantity, FINE),
  billable: divide(billable, FINE),
});

/** What is cheaper by the month than it was before gives nothing back: the sum stands still instead. */
function grow(sum: Sum, line: MeterLine, ms: bigint, month: Month): void {
  const perMs = FINE / BigInt(DAY_MS * month.days);
  const share = line.unit === 'hour' ? PER_HOUR : perMs;
  sum.quantity += line.quantity * ms * share;
  sum.billable += line.billable * ms * share;
  if (line.pace === 'month') sum.cost += line.monthly * ms * perMs;
  else {
    const uncapped = sum.cost + line.hourly * ms * HOURLY;
    sum.cost = most(sum.cost, least(uncapped, line.monthly * FINE));
  }
}

/** The moments at which a part ends, the last being the end of the stretch. */
function* cuts(from: number, to: number, stretch: Stretch): Generator<number> {
  let at = from;
  while (at < to) {
    let next = Math.min(to, monthAt(at).to);
    if (at < stretch.from) next = Math.min(next, stretch.from);
    else if (stretch.byDay) next = Math.min(next, startOfDay(at) + DAY_MS);
    yield next;
    at = next;
  }
}

function* spanParts(span: Span, sums: Map<string, Sum>, stretch: Stretch): Generator<Part> {
  const { startedAt } = span;
  const base = (at: number, { sku, unit }: MeterLine) =>
    ({ origin: span, at, sku, unit, kind: 'fixed' }) as const;
  if (startedAt >= stretch.from && startedAt < stretch.to) {
    for (const line of span.lines) {
      if (line.pace !== 'once') continue;
      const { quantity, billable, monthly } = line;
      yield { ...base(startedAt, line), quantity, billable, cost: monthly };
    }
  }
  let at = Math.max(startedAt, monthAt(stretch.from).from);
  for (const next of cuts(at, Math.min(span.endedAt ?? stretch.to, stretch.to), stretch)) {
    const month = monthAt(at);
    for (const line of span.lines) {
      if (line.pace === 'once') continue;
      const key = `${month.from} ${keyOf(line)}`;
      const sum = sums.get(key) ?? { ...nothing };
      sums.set(key, sum);
      const before = rounded(sum);
      grow(sum, line, BigInt(next - at), month);
      if (at < stretch.from) continue;
      const after = rounded(sum);
      yield {
        ...base(at, line),
        quantity: after.quantity - before.quantity,
        billable: after.billable - before.billable,
        cost: after.cost - before.cost,
      };
    }
    at = next;
  }
}

function readingPart(reading: Reading): Part {
  const { readAt, sku, unit, quantity, billable, cost } = reading;
  return { origin: reading, at: readAt, sku, unit, kind: 'metered', quantity, billable, cost };
}

/** What runs is taken to run until the end of the stretch. */
export function* partsOf(ledger: Ledger, stretch: Stretch): Generator<Part> {
  let sums = new Map<string, Sum>();
  let resource = '';
  for (const span of ledger.spans) {
    if (span.resourceId !== resource) sums = new Map();
    resource = span.resourceId;
    yield* spanParts(span, sums, stretch);
  }
  for (const reading of ledger.readings) {
    if (reading.readAt >= stretch.from && reading.readAt < stretch.to) yield readingPart(reading);
  }
}
