/**
 * Estimates the cost of new resources and of changes to existing ones. This is a pure function: callers pass in
 * the data of the account. An estimate reserves nothing and is not stored.
 */
import type { Warning } from '../../kernel/effect.ts';
import { idPrefix } from '../../kernel/ids.ts';
import { type Micro, sum } from '../../kernel/micro.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import { type BasketItem, fillBasket, type Lookup } from './basket.ts';
import {
  type BudgetState,
  exceededBudgets,
  exceededLimits,
  type LimitState,
  limitsOf,
} from './basket-limits.ts';
import { bookOf } from './book.ts';
import { compareLocations } from './comparison.ts';
import type { EstimateRequest } from './estimate-request.ts';
import { formatMoney, formatQuantity, formatRate } from './format.ts';
import type { Line } from './line.ts';
import type { Amounts } from './price.ts';
import type { Estimate, EstimateItem, EstimateLine } from './schema.ts';
import type { Tariff } from './tariff.ts';

export interface EstimateOptions {
  readonly currency: string;
  readonly now: Date;
  readonly id?: string;
  readonly lookup?: Lookup;
  readonly limits?: LimitState;
  readonly budgets?: readonly BudgetState[];
}

export type Estimated = { readonly problems: readonly FieldError[] } | Estimate;

const nothingExists: Lookup = {
  resource: () => null,
  backupPolicy: () => null,
  cluster: () => null,
  image: () => null,
};

const newEstimateId = idPrefix('estimate', 'est');

export function estimate(tariff: Tariff, request: EstimateRequest, options: EstimateOptions): Estimated {
  const { catalogue } = tariff;
  const basket = fillBasket(tariff, request, options.lookup ?? nothingExists, options.now);
  const problems = [...basket.problems, ...requestFaults(catalogue, request, options.currency)];
  if (problems.length > 0) return { problems };
  const { items } = basket;
  const total = (pick: (item: BasketItem) => Micro): Micro => sum(items.map(pick));
  return {
    id: options.id ?? newEstimateId(),
    currency: options.currency,
    tax: 'excluded',
    calculated_at: options.now.toISOString().replace('.000Z', 'Z'),
    catalogue_version: catalogue.version,
    totals: {
      hourly: formatRate(total(({ priced }) => priced.hourly)),
      monthly: formatMoney(total(({ priced }) => priced.monthly)),
      monthly_fixed: formatMoney(total(({ priced }) => priced.monthlyFixed)),
      monthly_metered: formatMoney(total(({ priced }) => priced.monthlyMetered)),
      setup: formatMoney(total(({ priced }) => priced.setup)),
    },
    items: items.map(showItem),
    ...(request.compare_locations === undefined
      ? {}
      : { comparison: compareLocations(tariff, items, request.compare_locations) }),
    assumptions: assumptionsOf(items),
    exceeds_limits: exceededLimits(catalogue, items, options.limits ?? limitsOf(catalogue)),
    exceeds_budgets: exceededBudgets(items, options.budgets ?? []),
    warnings: items.flatMap(warningsOf),
  };
}

function requestFaults(catalogue: Catalogue, request: EstimateRequest, currency: string): FieldError[] {
  const faults: FieldError[] = [];
  if (request.currency !== undefined && request.currency !== currency) {
    const detail = `This account is billed in ${currency}.`;
    faults.push({ pointer: '/currency', code: 'unknown_reference', detail });
  }
  const { locations } = bookOf(catalogue);
  request.compare_locations?.forEach((slug, index) => {
    if (locations.has(slug)) return;
    const detail = `There is no location ${JSON.stringify(slug)}; there are: ${[...locations.keys()].join(', ')}.`;
    faults.push({ pointer: `/compare_locations/${index}`, code: 'unknown_reference', detail });
  });
  return faults;
}

function showItem({ request, options, priced, before }: BasketItem): EstimateItem {
  return {
    ref: request.ref ?? null,
    resource_type: request.resource_type,
    quantity: options.quantity ?? 1,
    available: priced.available,
    ...showAmounts(priced),
    setup: formatMoney(priced.setup),
    lines: priced.lines.map(showLine),
    ...(priced.range
      ? { range: { min: showAmounts(priced.range.min), max: showAmounts(priced.range.max) } }
      : {}),
    ...(before ? showChange(before, priced) : {}),
  };
}

function showChange(before: Amounts, after: Amounts): Pick<EstimateItem, 'before' | 'after' | 'difference'> {
  const difference = { hourly: after.hourly - before.hourly, monthly: after.monthly - before.monthly };
  return { before: showAmounts(before), after: showAmounts(after), difference: showAmounts(difference) };
}

function showAmounts({ hourly, monthly }: Amounts): { hourly: string; monthly: string } {
  return { hourly: formatRate(hourly), monthly: formatMoney(monthly) };
}

function showLine(line: Line): EstimateLine {
  const { sku, description, kind, unit, included, billable, unitCap } = line;
  return {
    sku,
    description,
    kind,
    unit,
    quantity: formatQuantity(line.quantity),
    ...(included === null ? {} : { included_quantity: formatQuantity(included) }),
    ...(billable === null ? {} : { billable_quantity: formatQuantity(billable) }),
    unit_price: formatRate(line.unitPrice),
    ...(unitCap === null ? {} : { unit_cap: formatMoney(unitCap) }),
    hourly: line.hourly === null ? null : formatRate(line.hourly),
    monthly: formatMoney(line.monthly),
    ...(kind === 'one_time' ? { setup: formatMoney(line.setup) } : {}),
  };
}

const labelOf = ({ request }: BasketItem, index: number): string => request.ref ?? `items/${index}`;

/** Assumptions that apply to all items are listed once; the others name their items. */
function assumptionsOf(items: readonly BasketItem[]): string[] {
  const holders = new Map<string, string[]>();
  items.forEach((item, index) => {
    for (const text of item.priced.assumptions) {
      holders.set(text, [...(holders.get(text) ?? []), labelOf(item, index)]);
    }
  });
  return [...holders].map(([text, labels]) =>
    labels.length === items.length ? text : `${labels.join(', ')}: ${text}`,
  );
}

function warningsOf({ priced, request }: BasketItem, index: number): Warning[] {
  const base = request.change === undefined ? '' : '/change';
  return priced.warnings.map(({ pointer, ...warning }) => ({
    ...warning,
    pointer: pointer === undefined ? `/items/${index}` : `/items/${index}${base}${pointer}`,
  }));
}
