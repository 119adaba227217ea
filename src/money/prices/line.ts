/**
 * The arithmetic of one price line. It is exact until the end, where the monthly price of a line is rounded
 * half-up to cents and its hourly price to six digits. Totals are sums of the rounded values, so they always
 * add up.
 */
import { divide, least, type Micro, most, ONE, toCents } from '../../kernel/micro.ts';
import type { Billing, Unit } from '../../provider/price-entry.ts';
import type { Rate } from './book.ts';

export const HOURS_PER_MONTH = 730;
const MONTH = BigInt(HOURS_PER_MONTH);

export interface Line {
  readonly sku: string;
  readonly description: string;
  readonly kind: Billing;
  readonly unit: Unit;
  readonly quantity: Micro;
  readonly unitPrice: Micro;
  readonly unitCap: Micro | null;
  /** `included` and `billable` are both set if the line has an included quantity, otherwise both are `null`. */
  readonly included: Micro | null;
  readonly billable: Micro | null;
  readonly hourly: Micro | null;
  readonly monthly: Micro;
  readonly setup: Micro;
}

export interface Entry {
  readonly description: string;
  /** The quantity of all pieces together; the same applies to `included` and `billable`. */
  readonly quantity: Micro;
  /** Overrides the included quantity of the price list. */
  readonly included?: Micro;
  /** Set if more is billed than was used, such as each started quarter of an hour. */
  readonly billable?: Micro;
  readonly hours: number;
  /** The quantity is the caller's expectation of usage, not a choice. Such a line has no hourly price. */
  readonly expected?: boolean;
}

export function linesOf(rate: Rate, entry: Entry, pieces: number): Line[] {
  const included = entry.included ?? rate.included * BigInt(pieces);
  const billable = entry.billable ?? most(0n, entry.quantity - included);
  const kind = entry.expected ? 'metered' : rate.billing;
  const lines =
    rate.tiers.length > 0
      ? tierLines(rate, entry, included, billable)
      : [wholeLine(rate, entry, kind, included, billable)];
  return rate.setup > 0n ? [...lines, setupLine(rate, entry, billable)] : lines;
}

function wholeLine(rate: Rate, entry: Entry, kind: Billing, included: Micro, billable: Micro): Line {
  const tellsIncluded = kind === 'metered' || included > 0n;
  const amounts = amountsOf(rate, billable, entry.hours);
  return {
    sku: rate.sku,
    description: entry.description,
    kind,
    unit: rate.unit,
    quantity: entry.quantity,
    included: tellsIncluded ? included : null,
    billable: tellsIncluded ? billable : null,
    ...amounts,
    hourly: kind === 'metered' ? null : amounts.hourly,
  };
}

type Amounts = Pick<Line, 'unitPrice' | 'unitCap' | 'hourly' | 'monthly' | 'setup'>;

function amountsOf(rate: Rate, quantity: Micro, hours: number): Amounts {
  switch (rate.billing) {
    case 'hourly_capped':
      return rate.hourly === null
        ? prorated(rate.unitPrice ?? 0n, quantity, hours)
        : capped(rate.hourly, rate.monthly, quantity, hours);
    case 'monthly':
      return prorated(rate.monthly ?? 0n, quantity, HOURS_PER_MONTH);
    case 'metered': {
      const unitPrice = rate.unitPrice ?? 0n;
      const monthly = toCents(quantity * unitPrice, ONE);
      return { unitPrice, unitCap: null, hourly: null, monthly, setup: 0n };
    }
    case 'one_time': {
      const unitPrice = rate.unitPrice ?? 0n;
      const setup = toCents(quantity * unitPrice, ONE);
      return { unitPrice, unitCap: null, hourly: null, monthly: 0n, setup };
    }
  }
}

function capped(unitPrice: Micro, unitCap: Micro | null, quantity: Micro, hours: number): Amounts {
  const uncapped = unitPrice * BigInt(hours);
  const perUnit = unitCap === null ? uncapped : least(uncapped, unitCap);
  const hourly = divide(quantity * unitPrice, ONE);
  return { unitPrice, unitCap, hourly, monthly: toCents(quantity * perUnit, ONE), setup: 0n };
}

/** A monthly price; one hour costs 1/730 of it. */
function prorated(unitPrice: Micro, quantity: Micro, hours: number): Amounts {
  const whole = quantity * unitPrice;
  const monthly = toCents(whole * BigInt(hours), ONE * MONTH);
  return { unitPrice, unitCap: null, hourly: divide(whole, ONE * MONTH), monthly, setup: 0n };
}

/**
 * Returns one line per reached tier, each with its own price, because a customer could not verify a blended
 * price.
 */
function tierLines(rate: Rate, entry: Entry, included: Micro, billable: Micro): Line[] {
  const reached = rate.tiers.filter((tier, index) => index === 0 || tier.from < billable);
  return reached.map((tier, index) => {
    const first = index === 0;
    const end = rate.tiers[index + 1]?.from ?? billable;
    const portion = least(billable, end) - tier.from;
    return {
      sku: rate.sku,
      description: first ? entry.description : `${entry.description}, above ${tier.from / ONE}`,
      kind: 'metered',
      unit: rate.unit,
      quantity: first ? least(entry.quantity, portion + included) : portion,
      unitPrice: tier.unitPrice,
      unitCap: null,
      included: first ? included : 0n,
      billable: portion,
      hourly: null,
      monthly: toCents(portion * tier.unitPrice, ONE),
      setup: 0n,
    };
  });
}

function setupLine(rate: Rate, entry: Entry, quantity: Micro): Line {
  return {
    sku: rate.sku,
    description: `Setup: ${entry.description}`,
    kind: 'one_time',
    unit: 'item',
    quantity,
    unitPrice: rate.setup,
    unitCap: null,
    included: null,
    billable: null,
    hourly: null,
    monthly: 0n,
    setup: toCents(quantity * rate.setup, ONE),
  };
}
