/**
 * An index over the provider's catalogue that finds the price of a SKU at a location and time. It is built once
 * per loaded catalogue; a reload creates a new catalogue and so a new book.
 */
import { type Micro, micro } from '../../kernel/micro.ts';
import type { Catalogue, Image, Iso, LimitEntry, Location, Plan } from '../../provider/catalogue.ts';
import type { DedicatedProduct, Site } from '../../provider/metal.ts';
import {
  type Billing,
  instant,
  type PriceEntry,
  type PriceRow,
  rowFor,
  type Unit,
} from '../../provider/price-entry.ts';

export interface Rate {
  readonly sku: string;
  readonly name: string;
  readonly billing: Billing;
  readonly unit: Unit;
  readonly hourly: Micro | null;
  readonly monthly: Micro | null;
  readonly unitPrice: Micro | null;
  readonly setup: Micro;
  readonly included: Micro;
  readonly tiers: readonly { readonly from: Micro; readonly unitPrice: Micro }[];
  /** The location that this price belongs to, if the requested location has no price; otherwise `null`. */
  readonly elsewhere: string | null;
}

export interface Book {
  readonly catalogue: Catalogue;
  readonly locations: ReadonlyMap<string, Location>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly images: ReadonlyMap<string, Image>;
  readonly isos: ReadonlyMap<string, Iso>;
  readonly products: ReadonlyMap<string, DedicatedProduct>;
  readonly sites: ReadonlyMap<string, Site>;
  readonly limits: ReadonlyMap<string, LimitEntry>;
  /** Versions of each SKU, newest first. */
  readonly versions: ReadonlyMap<string, readonly Version[]>;
}

export interface Version {
  readonly entry: PriceEntry;
  readonly from: number;
  readonly until: number;
}

const books = new WeakMap<Catalogue, Book>();

export function bookOf(catalogue: Catalogue): Book {
  const known = books.get(catalogue);
  if (known) return known;
  const book: Book = {
    catalogue,
    locations: bySlug(catalogue.locations),
    plans: bySlug(catalogue.plans),
    images: bySlug(catalogue.images),
    isos: bySlug(catalogue.isos),
    products: bySlug(catalogue.dedicated.products),
    sites: bySlug(catalogue.datacenter.sites),
    limits: new Map(catalogue.limits.map((limit) => [limit.id, limit])),
    versions: versionsOf(catalogue.prices),
  };
  books.set(catalogue, book);
  return book;
}

function bySlug<T extends { readonly slug: string }>(entries: readonly T[]): ReadonlyMap<string, T> {
  return new Map(entries.map((entry) => [entry.slug, entry]));
}

/**
 * A later entry of the same SKU ends the earlier one, so an operator can announce a price without editing the
 * current entry.
 */
function versionsOf(entries: readonly PriceEntry[]): ReadonlyMap<string, readonly Version[]> {
  const bySku = new Map<string, Version[]>();
  const newestFirst = [...entries].sort((a, b) => instant(b.valid_from) - instant(a.valid_from));
  for (const entry of newestFirst) {
    const versions = bySku.get(entry.sku) ?? [];
    const next = versions.at(-1)?.from ?? Number.POSITIVE_INFINITY;
    const until = entry.valid_until === null ? next : Math.min(next, instant(entry.valid_until));
    versions.push({ entry, from: instant(entry.valid_from), until });
    bySku.set(entry.sku, versions);
  }
  return bySku;
}

function versionAt(book: Book, sku: string, at: Date): Version | undefined {
  const time = at.getTime();
  return book.versions.get(sku)?.find((version) => version.from <= time && time < version.until);
}

export function rateOf(book: Book, sku: string, location: string | null, at: Date): Rate | undefined {
  const entry = versionAt(book, sku, at)?.entry;
  if (!entry) return undefined;
  const here = rowFor(entry.prices, location);
  const row = here ?? entry.prices[0];
  return row && { ...rateFrom(entry, row), elsewhere: here ? null : row.location };
}

function rateFrom(entry: PriceEntry, row: PriceRow): Omit<Rate, 'elsewhere'> {
  const optional = (value: string | number | undefined): Micro | null =>
    value === undefined ? null : micro(value);
  return {
    sku: entry.sku,
    name: entry.name,
    billing: entry.billing,
    unit: entry.unit,
    hourly: optional(row.hourly),
    monthly: optional(row.monthly),
    unitPrice: optional(row.unit_price),
    setup: optional(row.setup) ?? 0n,
    included: micro(row.included_quantity),
    tiers: row.tiers.map((tier) => ({
      from: micro(tier.from_quantity),
      unitPrice: micro(tier.unit_price),
    })),
  };
}
