/**
 * Prices the items of an estimate. An item that changes an existing resource is also priced in its current
 * state.
 */
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { References } from './bill.ts';
import { applyChange, type Configuration } from './change.ts';
import type { EstimateRequest, EstimateRequestItem } from './estimate-request.ts';
import { HOURS_PER_MONTH } from './line.ts';
import { type PricedItem, type PriceOptions, price } from './price.ts';
import type { Tariff } from './tariff.ts';

/** An existing resource of the account, with its configuration in the form of the create body. */
export type ExistingResource = { readonly resource_type: string; readonly configuration: Configuration };

export interface Lookup extends References {
  resource(id: string): ExistingResource | null;
}

export interface BasketItem {
  readonly request: EstimateRequestItem;
  /** The configuration after the change; `null` if the change deletes the resource. */
  readonly configuration: Configuration | null;
  readonly options: PriceOptions;
  readonly priced: PricedItem;
  readonly before: PricedItem | null;
}

const MOST_PIECES = 5000;

export interface Basket {
  readonly items: readonly BasketItem[];
  readonly problems: readonly FieldError[];
}

export function fillBasket(tariff: Tariff, request: EstimateRequest, lookup: Lookup, at: Date): Basket {
  const problems = wholeFaults(request);
  const items: BasketItem[] = [];
  request.items.forEach((item, index) => {
    const options = {
      quantity: item.quantity ?? 1,
      hoursPerMonth: item.hours_per_month ?? HOURS_PER_MONTH,
      usage: item.usage ?? {},
      contractMonths: request.contract_months ?? 1,
      at,
      references: lookup,
    };
    const result = fillItem(tariff, item, options, lookup);
    if ('item' in result) items.push(result.item);
    else
      for (const fault of result.faults)
        problems.push({ ...fault, pointer: `/items/${index}${fault.pointer}` });
  });
  return { items, problems };
}

function wholeFaults({ items }: EstimateRequest): FieldError[] {
  const problems: FieldError[] = [];
  const pieces = items.reduce((total, { quantity }) => total + (quantity ?? 1), 0);
  if (pieces > MOST_PIECES) {
    const detail = `Quantities add up to ${pieces}; ask for at most ${MOST_PIECES} at once.`;
    problems.push({ pointer: '/items', code: 'too_many', detail });
  }
  const seen = new Set<string>();
  items.forEach(({ ref }, index) => {
    if (ref === undefined) return;
    if (seen.has(ref)) {
      problems.push({
        pointer: `/items/${index}/ref`,
        code: 'not_unique',
        detail: 'Another item has this ref.',
      });
    }
    seen.add(ref);
  });
  return problems;
}

const CONFIGURATION_MISSING: FieldError = {
  pointer: '/configuration',
  code: 'required',
  detail: 'Give configuration, or change for an existing resource.',
};

/** The items of a request body, which can be anything, that say nothing about what to price. */
export function missingConfigurations({ items }: Readonly<Record<string, unknown>>): FieldError[] {
  return (Array.isArray(items) ? items : []).flatMap((item: unknown, i): FieldError[] => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return [];
    const { configuration, change } = item as Readonly<Record<string, unknown>>;
    const isSaid = configuration !== undefined || change !== undefined;
    return isSaid ? [] : [{ ...CONFIGURATION_MISSING, pointer: `/items/${i}/configuration` }];
  });
}

type Filled = { readonly item: BasketItem } | { readonly faults: readonly FieldError[] };

function fillItem(
  tariff: Tariff,
  request: EstimateRequestItem,
  options: PriceOptions,
  lookup: Lookup,
): Filled {
  const { configuration, change, resource_type } = request;
  if (configuration !== undefined && change !== undefined) {
    const detail = 'Give either configuration or change, not both.';
    return { faults: [{ pointer: '/change', code: 'mutually_exclusive', detail }] };
  }
  if (change !== undefined) return fillChange(tariff, request, change, options, lookup);
  if (configuration === undefined) return { faults: [CONFIGURATION_MISSING] };
  const priced = price(tariff, resource_type, configuration, options);
  if (!priced.ok) return { faults: priced.problems };
  return { item: { request, configuration, options, priced: priced.item, before: null } };
}

function fillChange(
  tariff: Tariff,
  request: EstimateRequestItem,
  change: NonNullable<EstimateRequestItem['change']>,
  options: PriceOptions,
  lookup: Lookup,
): Filled {
  const type = tariff.types.get(request.resource_type);
  const existing = lookup.resource(change.resource_id);
  const faults: FieldError[] = [];
  const fail = (pointer: string, code: FieldError['code'], detail: string): void => {
    faults.push({ pointer, code, detail });
  };
  if (!existing)
    fail('/change/resource_id', 'unknown_reference', 'There is no such resource in this account.');
  else if (existing.resource_type !== request.resource_type) {
    fail('/resource_type', 'incompatible', `The resource is of type ${existing.resource_type}.`);
  }
  if (options.quantity !== 1)
    fail('/quantity', 'incompatible', 'A change applies to one resource; leave quantity out.');
  if (!type || !existing || faults.length > 0) {
    const unknown = type ? [] : faultsOf(tariff, request.resource_type, options);
    return { faults: [...unknown, ...faults] };
  }
  const now = price(tariff, request.resource_type, existing.configuration, {
    ...options,
    existing: 'unchanged',
  });
  const before = now.ok ? now.item : nothing(type.family).item;
  const changed = { ...options, existing: before.lines };
  const configuration =
    change.configuration && applyChange(type, existing.configuration, change.configuration);
  const after = configuration
    ? price(tariff, request.resource_type, configuration, changed)
    : nothing(type.family);
  if (!after.ok) return { faults: after.problems.map(inChange) };
  // The current configuration may have no price, because parts of it may have been removed from the catalogue.
  const unknown = { code: 'price_unknown', detail: 'The current cost is not known, so before is 0.' };
  const priced = now.ok ? after.item : { ...after.item, warnings: [...after.item.warnings, unknown] };
  return { item: { request, configuration, options: changed, priced, before } };
}

function faultsOf(tariff: Tariff, resourceType: string, options: PriceOptions): readonly FieldError[] {
  const priced = price(tariff, resourceType, {}, options);
  return priced.ok ? [] : priced.problems;
}

function inChange(fault: FieldError): FieldError {
  return { ...fault, pointer: fault.pointer.replace(/^\/configuration/, '/change/configuration') };
}

/** The price of a deleted resource. */
function nothing(family: PricedItem['family']): { ok: true; item: PricedItem } {
  return {
    ok: true,
    item: {
      family,
      available: true,
      lines: [],
      hourly: 0n,
      monthly: 0n,
      monthlyFixed: 0n,
      monthlyMetered: 0n,
      setup: 0n,
      range: null,
      assumptions: [],
      warnings: [],
      demands: [],
      unpriced: [],
    },
  };
}
