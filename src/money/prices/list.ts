/** The price list of the API: current prices and announced ones. */
import { micro } from '../../kernel/micro.ts';
import type { PriceEntry, PriceRow } from '../../provider/price-entry.ts';
import { type Book, bookOf, type Version } from './book.ts';
import { formatMoney, formatQuantity, formatRate } from './format.ts';
import type { Price } from './schema.ts';
import type { Tariff } from './tariff.ts';

/** Sorted by SKU, then by start time. Ended prices are left out. */
export function priceList({ catalogue, types }: Tariff, currency: string, at: Date): Price[] {
  const book = bookOf(catalogue);
  const common = { currency, catalogue_version: catalogue.version };
  const sold = [...book.versions.values()]
    .flat()
    .filter(({ until }) => until > at.getTime())
    .map((version) => ({ ...rowOf(version), ...common }));
  const since = iso(earliest(book, at));
  const free = [...types].flatMap(([resource_type, { family, free }]) => {
    if (free === null) return [];
    const { sku, name } = free;
    const prices = [pricesOf({ location: null, monthly: 0, included_quantity: 0, tiers: [] })];
    const row = {
      sku,
      family,
      resource_type,
      name,
      billing: 'monthly' as const,
      unit: 'item' as const,
      prices,
    };
    return [{ ...row, valid_from: since, valid_until: null, ...common }];
  });
  return [...sold, ...free].sort((a, b) => compare(a.sku, b.sku) || compare(a.valid_from, b.valid_from));
}

function rowOf({ entry, from, until }: Version): Omit<Price, 'currency' | 'catalogue_version'> {
  const { sku, family, resource_type, name, billing, unit }: PriceEntry = entry;
  return {
    sku,
    family,
    resource_type,
    name,
    billing,
    unit,
    prices: entry.prices.map(pricesOf),
    valid_from: iso(from),
    valid_until: Number.isFinite(until) ? iso(until) : null,
  };
}

function pricesOf(row: PriceRow): Price['prices'][number] {
  const { location, hourly, monthly, unit_price, setup } = row;
  return {
    location,
    hourly: hourly === undefined ? null : formatRate(micro(hourly)),
    monthly: monthly === undefined ? null : formatMoney(micro(monthly)),
    unit_price: unit_price === undefined ? null : formatRate(micro(unit_price)),
    setup: setup === undefined ? null : formatMoney(micro(setup)),
    included_quantity: formatQuantity(micro(row.included_quantity)),
    tiers: row.tiers.map((tier) => ({
      from_quantity: formatQuantity(micro(tier.from_quantity)),
      unit_price: formatRate(micro(tier.unit_price)),
    })),
  };
}

/** The start time of the entries for free resources: the start of the oldest price in the list. */
function earliest(book: Book, at: Date): number {
  return Math.min(at.getTime(), ...[...book.versions.values()].flat().map(({ from }) => from));
}

function iso(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
