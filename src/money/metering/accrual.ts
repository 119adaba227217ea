/**
 * Computes costs from spans. No cost is stored: the cost of a time range follows from the spans alone, so a
 * restart cannot lose or double anything.
 *
 * The running sum of one resource, SKU and month is exact. A part costs the difference between the rounded sums
 * at its end and its start, so parts add up to the whole to the last millionth, however the time range is cut.
 */
import { divide, least, type Micro, most, ONE } from '../../kernel/micro.ts';
import { DAY_MS, HOUR_MS, type Month, monthAt, startOfDay } from './calendar.ts';
import { keyOf, type MeterLine } from './line.ts';
import type { Ledger, Origin, Reading, Span } from './span.ts';

const HOUR = BigInt(HOUR_MS);
/**
 * Divisor from hourly price × milliseconds to micros: an hourly price is in 10⁻¹², and time is in milliseconds.
 */
const HOURLY = ONE * HOUR;

/** The cost of one SKU of one resource within one month (or one day, with `byDay`), under one set of labels. */
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
  /** Cuts parts at every midnight (UTC), so that each part belongs to one day. */
  readonly byDay?: boolean;
}

/**
 * Running totals of one SKU of one resource in one month: the exact sums, and the amounts already returned in
 * parts.
 */
class Sum {
  month = 0;
  /**
   * Price × time, not yet divided: by `HOURLY` for an hourly price, by the milliseconds of the month for a
   * monthly price.
   */
  cost = 0n;
  quantity = 0n;
  billable = 0n;
  given = { quantity: 0n, billable: 0n, cost: 0n };

  grow(line: MeterLine, ms: bigint, month: Month): void {
    if (this.month !== month.from) {
      this.month = month.from;
      this.cost = this.quantity = this.billable = 0n;
      this.given = { quantity: 0n, billable: 0n, cost: 0n };
    }
    this.quantity += line.quantity * ms;
    this.billable += line.billable * ms;
    if (line.pace === 'month') this.cost += line.monthly * ms;
    else {
      // If the monthly cap falls below the sum, nothing is refunded; the sum stays as it is.
      const grown = least(this.cost + line.hourly * ms, line.monthly * HOURLY);
      this.cost = most(this.cost, grown);
    }
  }

  /** Returns the amounts added since the previous call. */
  give({ unit, pace }: MeterLine, { ms }: Month): { quantity: Micro; billable: Micro; cost: Micro } {
    const before = this.given;
    const time = unit === 'hour' ? HOUR : ms;
    const quantity = divide(this.quantity, time);
    const billable = this.billable === this.quantity ? quantity : divide(this.billable, time);
    const cost = divide(this.cost, pace === 'month' ? ms : HOURLY);
    this.given = { quantity, billable, cost };
    return {
      quantity: quantity - before.quantity,
      billable: billable - before.billable,
      cost: cost - before.cost,
    };
  }
}

function nextCut(at: number, end: number, month: Month, stretch: Stretch): number {
  const next = Math.min(end, month.to);
  if (at < stretch.from) return Math.min(next, stretch.from);
  return stretch.byDay ? Math.min(next, startOfDay(at) + DAY_MS) : next;
}

function* onceParts(span: Span, { from, to }: Stretch): Generator<Part> {
  const { startedAt: at } = span;
  if (at < from || at >= to) return;
  for (const { sku, unit, pace, quantity, billable, monthly } of span.lines) {
    if (pace === 'once')
      yield { origin: span, at, sku, unit, kind: 'fixed', quantity, billable, cost: monthly };
  }
}

function* spanParts(span: Span, sums: Map<string, Sum>, stretch: Stretch): Generator<Part> {
  yield* onceParts(span, stretch);
  const running = span.lines
    .filter(({ pace }) => pace !== 'once')
    .map((line) => {
      const key = keyOf(line);
      const sum = sums.get(key) ?? new Sum();
      sums.set(key, sum);
      return { line, sum };
    });
  const end = Math.min(span.endedAt ?? stretch.to, stretch.to);
  let at = Math.max(span.startedAt, monthAt(stretch.from).from);
  let month = monthAt(at);
  while (at < end) {
    if (at >= month.to) month = monthAt(at);
    const next = nextCut(at, end, month, stretch);
    const ms = BigInt(next - at);
    for (const { line, sum } of running) {
      sum.grow(line, ms, month);
      const { quantity, billable, cost } = sum.give(line, month);
      if (at < stretch.from) continue;
      const { sku, unit } = line;
      yield { origin: span, at, sku, unit, kind: 'fixed', quantity, billable, cost };
    }
    at = next;
  }
}

function readingPart(reading: Reading): Part {
  const { readAt, sku, unit, quantity, billable, cost } = reading;
  return { origin: reading, at: readAt, sku, unit, kind: 'metered', quantity, billable, cost };
}

/** Open spans count as running until the end of the stretch. */
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
