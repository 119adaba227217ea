/** Schema of the price list: one entry per SKU and period, with one row per location. */
import { familyNames } from '../kernel/families.ts';
import { Nullable, OneOf, Shape, Slug, type Static, Type } from '../kernel/schema.ts';
import { Default, Instant, ListOf, Money, Quantity, Rate, Sku, Text } from './words.ts';

export const billings = ['hourly_capped', 'monthly', 'metered', 'one_time'] as const;
export const units = ['hour', 'month', 'gb_month', 'gb', 'million_requests', 'minute', 'item'] as const;

export type Billing = (typeof billings)[number];
export type Unit = (typeof units)[number];

/** A row with `location: null` (or without location) applies to every location that has no row of its own. */
export const PriceRow = Shape({
  location: Default(Nullable(Slug), null),
  hourly: Type.Optional(Rate),
  monthly: Type.Optional(Money),
  unit_price: Type.Optional(Rate),
  setup: Type.Optional(Money),
  included_quantity: Default(Quantity, 0),
  tiers: Default(ListOf(Shape({ from_quantity: Quantity, unit_price: Rate })), []),
});

export const PriceEntry = Shape({
  sku: Sku,
  family: OneOf(familyNames),
  resource_type: Type.String({ pattern: '^[a-z][a-z_]*$', maxLength: 40 }),
  name: Text,
  billing: OneOf(billings),
  unit: OneOf(units),
  valid_from: Instant,
  valid_until: Default(Nullable(Instant), null),
  prices: ListOf(PriceRow, { minItems: 1 }),
});

export type PriceRow = Static<typeof PriceRow>;
export type PriceEntry = Static<typeof PriceEntry>;

/** A date without a time means midnight UTC. */
export function instant(text: string): number {
  return Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text);
}

export function rowFor(rows: readonly PriceRow[], location: string | null): PriceRow | undefined {
  const general = rows.find((row) => row.location === null);
  return location === null ? general : (rows.find((row) => row.location === location) ?? general);
}
