/** Checks that every product has a price at each location where it is sold, with the billing and unit it requires. */
import { nearest } from '../../kernel/did-you-mean.ts';
import type { Draft, Entry } from '../draft.ts';
import type { Report } from '../fault.ts';
import { isOnSale, type ProviderParts } from '../parts.ts';
import type { PriceEntry } from '../price-entry.ts';
import { instant, rowFor } from '../price-entry.ts';
import { PRICES, type Sale } from '../sale.ts';

export function checkCoverage(draft: Draft, report: Report, now: Date, parts: ProviderParts): void {
  const known = draft.names('prices', 'sku');
  if (known === null) return;
  const entries = draft.entries('prices');
  const told = new Set<string>();
  const tell: Report = (path, message, fix) => {
    if (!told.has(message)) report(path, message, fix);
    told.add(message);
  };
  const sales = parts.soldTypes.flatMap(({ family, isBuilt, sales }) => {
    const canBeBought = isBuilt && isOnSale(draft, parts, family);
    return sales(draft).map((sale) => ({ sale, canBeBought }));
  });
  for (const { sale, canBeBought } of sales) {
    if (!known.has(sale.sku)) {
      if (!canBeBought) continue;
      const meant = nearest(sale.sku, known);
      const fix = meant ? `Did you mean ${meant}?` : 'Add an entry for it under catalogue.prices.';
      tell(sale.path, `${sale.sku} is not in the price list.`, fix);
    } else
      checkSale(
        sale,
        entries.filter(({ value }) => value.sku === sale.sku),
        tell,
        now,
      );
  }
}

function checkSale(sale: Sale, entries: readonly Entry<PriceEntry>[], tell: Report, now: Date): void {
  const until = ({ value }: Entry<PriceEntry>): number =>
    value.valid_until === null ? Number.POSITIVE_INFINITY : instant(value.valid_until);
  const current = entries.filter((entry) => until(entry) > now.getTime());
  if (entries.length > 0 && !current.some(({ value }) => instant(value.valid_from) <= now.getTime())) {
    const fix = 'Change valid_from or valid_until so that one entry covers today.';
    tell(`${entries[0]?.path}/valid_from`, `${sale.sku} is sold but no price of it is valid today.`, fix);
  }
  for (const { path, value } of current) {
    if (value.billing !== sale.billing || value.unit !== sale.unit) {
      const message = `${sale.sku} must be billed ${sale.billing} per ${sale.unit}.`;
      // If the catalogue entry chose the SKU, report that entry. If the SKU name is fixed in code, report its price.
      if (sale.path === PRICES) tell(`${path}/billing`, message, 'Correct billing and unit.');
      else
        tell(
          sale.path,
          message,
          `It is ${value.billing} per ${value.unit}; name another SKU or correct that one.`,
        );
    } else if (!rowFor(value.prices, sale.location)) {
      const place = sale.location ?? 'everywhere (no location)';
      const fix = `Add a row for ${place}, or one without location.`;
      tell(`${path}/prices`, `${sale.sku} is sold in ${place} but has no price there.`, fix);
    }
  }
}
