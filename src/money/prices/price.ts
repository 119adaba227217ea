/**
 * The only price function. Estimates show its lines, dry runs show their sum, and metering bills by it, so the
 * three cannot differ.
 */
import { nearest } from '../../kernel/did-you-mean.ts';
import type { Warning } from '../../kernel/effect.ts';
import type { FamilyName } from '../../kernel/families.ts';
import { type Micro, sum } from '../../kernel/micro.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { Bill, type Demand, type References, type Terms } from './bill.ts';
import { bookOf } from './book.ts';
import { HOURS_PER_MONTH, type Line } from './line.ts';
import type { PricedType } from './priced-type.ts';
import type { Tariff } from './tariff.ts';

export interface PriceOptions {
  readonly quantity?: number;
  readonly hoursPerMonth?: number;
  readonly usage?: Readonly<Record<string, number>>;
  readonly contractMonths?: number;
  readonly at: Date;
  /**
   * Set for an existing resource: `unchanged`, or the lines before the change. Setup prices of those SKUs are
   * already paid.
   */
  readonly existing?: readonly { readonly sku: string }[] | 'unchanged';
  readonly references?: References;
}

export interface Amounts {
  readonly hourly: Micro;
  readonly monthly: Micro;
}

export interface PricedItem extends Amounts {
  readonly family: FamilyName;
  readonly available: boolean;
  readonly lines: readonly Line[];
  readonly monthlyFixed: Micro;
  readonly monthlyMetered: Micro;
  readonly setup: Micro;
  /** Set if a node pool is autoscaled; the amounts above are then those of the minimum size. */
  readonly range: { readonly min: Amounts; readonly max: Amounts } | null;
  readonly assumptions: readonly string[];
  readonly warnings: readonly Warning[];
  readonly demands: readonly Demand[];
  /** SKUs without a price at that time; the lines are incomplete then. */
  readonly unpriced: readonly string[];
}

/** Pointers of problems and warnings begin with `/resource_type`, `/configuration` or `/usage`. */
export type Priced =
  | { readonly ok: true; readonly item: PricedItem }
  | { readonly ok: false; readonly problems: readonly FieldError[] };

const nothingKnown: References = { backupPolicy: () => null, cluster: () => null, image: () => null };

export function price(
  { catalogue, types }: Tariff,
  resourceType: string,
  configuration: Readonly<Record<string, unknown>>,
  options: PriceOptions,
): Priced {
  const type = types.get(resourceType);
  if (!type) return { ok: false, problems: [unknownType(resourceType, types)] };
  const terms: Terms = {
    quantity: options.quantity ?? 1,
    hoursPerMonth: options.hoursPerMonth ?? HOURS_PER_MONTH,
    usage: options.usage ?? {},
    contractMonths: options.contractMonths ?? 1,
    at: options.at,
    existing: options.existing !== undefined,
    owesSetup: setupOwed(options.existing),
    scale: 'min',
    references: options.references ?? nothingKnown,
  };
  const priced = pricedMembers(type, configuration);
  const problems = [
    ...under('/configuration', faultsOf(type.configuration, priced)),
    ...under('/usage', usageFaults(type, terms.usage)),
  ];
  const bill = new Bill(bookOf(catalogue), terms);
  if (problems.every(({ pointer }) => pointer.startsWith('/usage'))) type.draw(priced, bill);
  problems.push(...under('/configuration', bill.problems));
  if (problems.length > 0) return { ok: false, problems };

  const item = itemOf(type, bill);
  if (!bill.autoscaled) return { ok: true, item };
  const largest = new Bill(bill.book, { ...terms, scale: 'max' });
  type.draw(priced, largest);
  return {
    ok: true,
    item: { ...item, range: { min: amountsOf(bill.lines), max: amountsOf(largest.lines) } },
  };
}

function setupOwed(existing: PriceOptions['existing']): Terms['owesSetup'] {
  if (existing === undefined) return () => true;
  if (existing === 'unchanged') return () => false;
  const paid = new Set(existing.map(({ sku }) => sku));
  return (sku) => !paid.has(sku);
}

function unknownType(resourceType: string, types: Tariff['types']): FieldError {
  const meant = nearest(resourceType, types.keys());
  const detail = meant ? `Did you mean ${meant}?` : `Known types: ${[...types.keys()].join(', ')}.`;
  return { pointer: '/resource_type', code: 'unknown_resource_type', detail };
}

function pricedMembers(type: PricedType, configuration: Readonly<Record<string, unknown>>): object {
  const { ignored } = type;
  if (ignored === 'any') return {};
  return Object.fromEntries(Object.entries(configuration).filter(([name]) => !ignored.includes(name)));
}

function usageFaults(type: PricedType, usage: Readonly<Record<string, number>>): FieldError[] {
  const faults: FieldError[] = [];
  const known = type.usage.join(', ') || 'none';
  for (const [key, value] of Object.entries(usage)) {
    const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!type.usage.some((known) => known === key)) {
      faults.push({ pointer, code: 'unknown_member', detail: `Known usage of this type: ${known}.` });
    } else if (!(value >= 0 && value <= 1e9)) {
      faults.push({ pointer, code: 'out_of_range', detail: 'Must be 0 to 1000000000.' });
    }
  }
  if (Object.hasOwn(usage, 'traffic_out_gb') && Object.hasOwn(usage, 'percentile_95_mbps')) {
    const detail = 'Give either traffic_out_gb or percentile_95_mbps, not both.';
    faults.push({ pointer: '/percentile_95_mbps', code: 'mutually_exclusive', detail });
  }
  return faults;
}

function under(parent: string, faults: readonly FieldError[]): FieldError[] {
  return faults.map((fault) => ({ ...fault, pointer: `${parent}${fault.pointer}` }));
}

function itemOf(type: PricedType, bill: Bill): PricedItem {
  const { lines } = bill;
  const metered = sum(lines.filter(({ kind }) => kind === 'metered').map(({ monthly }) => monthly));
  const { hourly, monthly } = amountsOf(lines);
  return {
    family: type.family,
    available: bill.available,
    lines,
    hourly,
    monthly,
    monthlyFixed: monthly - metered,
    monthlyMetered: metered,
    setup: sum(lines.map(({ setup }) => setup)),
    range: null,
    assumptions: [`${bill.terms.hoursPerMonth} hours per month`, ...bill.assumptions],
    warnings: bill.warnings.map((warning) =>
      warning.pointer === undefined ? warning : { ...warning, pointer: `/configuration${warning.pointer}` },
    ),
    demands: bill.demands,
    unpriced: [...bill.unpriced],
  };
}

function amountsOf(lines: readonly Line[]): Amounts {
  return {
    hourly: sum(lines.map(({ hourly }) => hourly ?? 0n)),
    monthly: sum(lines.map(({ monthly }) => monthly)),
  };
}
