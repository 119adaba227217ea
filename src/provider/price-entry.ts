/** Schema of the price list: one entry per SKU and period, with one row per location. */
import { familyNames } from '../kernel/families.ts';
import { keysOf, Named, Nullable, OneOf, Shape, Slug, type Static, Type } from '../kernel/schema.ts';
import { Default, Instant, ListOf, Money, Quantity, Rate, Sku, Text } from './words.ts';

const billingMeanings = {
  hourly_capped: 'By the hour, up to the monthly price in each calendar month.',
  monthly: 'By the month; a part of a month costs its share.',
  metered: 'By use, such as traffic.',
  one_time: 'Charged only once.',
} as const;
const unitMeanings = {
  hour: 'An hour in which the resource exists or runs.',
  month: 'A calendar month in UTC.',
  gb_month: 'A gigabyte that is kept for a month.',
  gb: 'A gigabyte that is transferred.',
  million_requests: 'A million requests to object storage.',
  minute: 'A minute of work.',
  item: 'One piece.',
} as const;

export const BillingShape = Named(
  'Billing',
  OneOf(billingMeanings, { description: 'How the price is charged.' }),
);
export const UnitShape = Named(
  'PriceUnit',
  OneOf(unitMeanings, { description: 'What one unit of the quantity is.' }),
);

const billings = keysOf(billingMeanings);
const units = keysOf(unitMeanings);

export type Billing = keyof typeof billingMeanings;
export type Unit = keyof typeof unitMeanings;

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
