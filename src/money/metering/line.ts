/**
 * Meter lines: the part of the price function's lines that a span stores. They contain what billing needs and
 * no display text. Lines of the same SKU are merged, so that a SKU has one monthly price.
 */
import type { Micro } from '../../kernel/micro.ts';
import type { Unit } from '../../provider/price-entry.ts';
import type { Line } from '../prices/line.ts';

/**
 * `hour`: `hourly` for each hour that passes, at most `monthly` in a month. `month`: `monthly` for a whole
 * calendar month, a share for a part of it. `once`: due when the span begins. Metered SKUs are billed by
 * readings, not by time.
 */
export type Pace = 'hour' | 'month' | 'once';

export interface MeterLine {
  readonly sku: string;
  readonly unit: Unit;
  readonly pace: Pace;
  readonly quantity: Micro;
  readonly billable: Micro;
  /**
   * With pace `hour`: the hourly price of the whole quantity, in 10⁻¹², so that nothing is rounded before the
   * end.
   */
  readonly hourly: bigint;
  /** The price of a month, as the estimate shows it; with pace `once`, the one-time amount. */
  readonly monthly: Micro;
}

function lineOf(line: Line): MeterLine | null {
  const { sku, unit, kind, quantity } = line;
  const billable = line.billable ?? quantity;
  const fixed = { sku, unit, quantity, billable, hourly: 0n };
  switch (kind) {
    case 'hourly_capped':
      return unit === 'hour'
        ? { ...fixed, pace: 'hour', hourly: billable * line.unitPrice, monthly: line.monthly }
        : { ...fixed, pace: 'month', monthly: line.monthly };
    case 'monthly':
      return { ...fixed, pace: 'month', monthly: line.monthly };
    case 'one_time':
      return { ...fixed, pace: 'once', monthly: line.setup };
    case 'metered':
      return null;
  }
}

export const keyOf = ({ sku, unit, pace }: MeterLine): string => `${sku} ${unit} ${pace}`;

export function meterLines(lines: readonly Line[]): MeterLine[] {
  const bySku = new Map<string, MeterLine>();
  for (const line of lines) {
    const next = lineOf(line);
    if (next === null || next.monthly === 0n) continue;
    const key = keyOf(next);
    const known = bySku.get(key);
    bySku.set(
      key,
      known === undefined
        ? next
        : {
            ...next,
            quantity: known.quantity + next.quantity,
            billable: known.billable + next.billable,
            hourly: known.hourly + next.hourly,
            monthly: known.monthly + next.monthly,
          },
    );
  }
  return [...bySku.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export const isRunning = ({ pace }: MeterLine): boolean => pace !== 'once';

/** Whether the running costs are equal. One-time lines are ignored, because they are not charged again. */
export function sameRates(before: readonly MeterLine[], after: readonly MeterLine[]): boolean {
  const rates = (lines: readonly MeterLine[]) => JSON.stringify(writeLines(lines.filter(isRunning)));
  return rates(before) === rates(after);
}

/** JSON cannot represent integers of this size, so they are stored as text. */
export type StoredLine = {
  readonly [K in keyof MeterLine]: MeterLine[K] extends bigint ? string : MeterLine[K];
};

export const writeLines = (lines: readonly MeterLine[]): StoredLine[] =>
  lines.map(({ sku, unit, pace, quantity, billable, hourly, monthly }) => ({
    sku,
    unit,
    pace,
    quantity: `${quantity}`,
    billable: `${billable}`,
    hourly: `${hourly}`,
    monthly: `${monthly}`,
  }));

export const readLines = (stored: readonly StoredLine[]): MeterLine[] =>
  stored.map(({ quantity, billable, hourly, monthly, ...line }) => ({
    ...line,
    quantity: BigInt(quantity),
    billable: BigInt(billable),
    hourly: BigInt(hourly),
    monthly: BigInt(monthly),
  }));
