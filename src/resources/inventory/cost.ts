/** Formats prices for answers, and computes the cost of a call as the difference of two prices. */
import type { Cost } from '../../kernel/effect.ts';
import type { Services } from '../../kernel/services.ts';
import { formatMoney, formatRate } from '../../money/prices/format.ts';
import type { PricedItem } from '../../money/prices/price.ts';

type Price = Pick<PricedItem, 'hourly' | 'monthly'>;

export function priceShown({ provider }: Pick<Services, 'provider'>, { hourly, monthly }: Price) {
  return {
    hourly: formatRate(hourly),
    monthly: formatMoney(monthly),
    currency: provider.provider.currency,
  };
}

/** The change of the running cost; negative if the resource becomes cheaper. */
export function costOf(
  services: Pick<Services, 'provider'>,
  after: Price | null,
  before: Price | null,
  labels: Readonly<Record<string, string>>,
): Cost {
  const change = {
    hourly: (after?.hourly ?? 0n) - (before?.hourly ?? 0n),
    monthly: (after?.monthly ?? 0n) - (before?.monthly ?? 0n),
  };
  return { ...priceShown(services, change), labels };
}
