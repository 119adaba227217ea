/** What the price list must have a price for. The priced types of the families derive their sales from the catalogue. */
import type { Draft } from './draft.ts';
import type { Billing, Unit } from './price-entry.ts';

/** How a SKU is charged. */
export interface Charging {
  readonly billing: Billing;
  readonly unit: Unit;
}

export interface Sale extends Charging {
  /** Where a fault is reported: the member that names the SKU, or the price list if its name is fixed in code. */
  readonly path: string;
  readonly sku: string;
  /** `null` for products that are sold without a location. */
  readonly location: string | null;
}

/** Reads only entries with a valid shape, because the file may have other faults. */
export type Sales = (draft: Draft) => readonly Sale[];

/** A type of resource that is sold. */
export interface SoldType {
  readonly family: string;
  /** Without endpoints for the type, nobody can buy it, and its prices may be missing. */
  readonly isBuilt: boolean;
  readonly sales: Sales;
}

export const PRICES = '/catalogue/prices';

type Places = readonly (string | null)[];

export const soldIn = (places: Places, sale: Omit<Sale, 'location'>): Sale[] =>
  places.map((location) => ({ ...sale, location }));

/** SKUs with names that are fixed in code: a provider sets their prices, but cannot rename them. */
export const namedSales = (places: Places, charging: Charging, ...skus: readonly string[]): Sale[] =>
  skus.flatMap((sku) => soldIn(places, { path: PRICES, sku, ...charging }));

export const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];
