/** Prices the items of an estimate as if all of them were in another location. */
import type { BasketItem } from './basket.ts';
import { type Book, bookOf } from './book.ts';
import type { Configuration } from './change.ts';
import { formatMoney, formatRate } from './format.ts';
import { type Amounts, price } from './price.ts';
import type { Place } from './priced-type.ts';
import type { Estimate } from './schema.ts';
import type { Tariff } from './tariff.ts';

type Comparison = NonNullable<Estimate['comparison']>;

export function compareLocations(
  tariff: Tariff,
  items: readonly BasketItem[],
  locations: readonly string[],
): Comparison {
  return locations.map((location) => {
    const moved = items.map((item) => priceAt(tariff, item, location));
    return {
      location,
      available: moved.every(({ available }) => available),
      monthly: formatMoney(moved.reduce((total, { monthly }) => total + monthly, 0n)),
      hourly: formatRate(moved.reduce((total, { hourly }) => total + hourly, 0n)),
    };
  });
}

function priceAt(tariff: Tariff, item: BasketItem, location: string): Amounts & { available: boolean } {
  const { configuration, request, options, priced } = item;
  const place = tariff.types.get(request.resource_type)?.place ?? null;
  if (configuration === null || place === null) return priced;
  const elsewhere = moveTo(bookOf(tariff.catalogue), configuration, place, location);
  if (elsewhere === null) return { ...priced, available: false };
  const moved = price(tariff, request.resource_type, elsewhere, options);
  return moved.ok ? moved.item : { ...priced, available: false };
}

/**
 * Returns `null` if the item cannot move: a node pool stays with its cluster, and not every location has a
 * site.
 */
function moveTo(
  book: Book,
  configuration: Configuration,
  place: Place,
  location: string,
): Configuration | null {
  switch (place) {
    case 'location':
      return { ...configuration, location };
    case 'region':
      return 'cluster_id' in configuration ? null : { ...configuration, region: location };
    case 'site':
    case 'site_preferences': {
      const site = [...book.sites.values()].find((each) => each.location === location);
      if (!site) return null;
      return { ...configuration, [place]: place === 'site' ? site.slug : [site.slug] };
    }
  }
}
