/** The tariff of the demo provider, with short text forms of its results, for tests that need no app. */
import { demoProvider } from '../configuration.ts';
import { families, unbuiltFamilies } from '../families/index.ts';
import { formatMoney } from '../money/prices/format.ts';
import { type PricedItem, type PriceOptions, price } from '../money/prices/price.ts';
import { tariffOf } from '../money/prices/tariff.ts';

export const demoTariff = tariffOf(demoProvider().catalogue, [...families, ...unbuiltFamilies]);

const at = new Date('2026-03-01T10:00:00Z');
export type Configuration = Record<string, unknown>;
export type Options = Partial<PriceOptions>;

export function priced(type: string, configuration: Configuration, options: Options = {}): PricedItem {
  const result = price(demoTariff, type, configuration, { at, ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.item;
}

/** The problems of a configuration, such as `/configuration/plan required`. */
export function problemsOf(type: string, configuration: Configuration, options: Options = {}): string[] {
  const result = price(demoTariff, type, configuration, { at, ...options });
  return result.ok ? [] : result.problems.map(({ pointer, code }) => `${pointer} ${code}`);
}

/** The price lines of an item, such as `vps.flex-2-4 7.50`. */
export const linesOf = (item: PricedItem): string[] =>
  item.lines.map(({ sku, monthly }) => `${sku} ${formatMoney(monthly)}`);
