import type { Micro } from '../../kernel/micro.ts';
import { meter } from '../metering/span-lines.ts';
import type { Tariff } from '../prices/tariff.ts';
import type { Future } from './store.ts';

interface Amounts {
  readonly hourly: Micro;
  readonly monthly: Micro;
}

const FREE: Amounts = { hourly: 0n, monthly: 0n };

/** What one planned resource is going to cost, as the meter will price it. Free if the provider no longer sells it. */
export function unitPrice(
  tariff: Tariff,
  { priced_as, configuration }: Pick<Future, 'priced_as' | 'configuration'>,
  at: Date,
): Amounts {
  const metered = meter(tariff, { pricedAs: priced_as, configuration }, at, { lines: [], isUnchanged: true });
  return metered.ok ? metered.item : FREE;
}

/** The whole plan, for a month and for an hour. */
export function pricePlan(tariff: Tariff, plan: readonly Future[], at: Date): Amounts {
  let { hourly, monthly } = FREE;
  for (const row of plan) {
    if (row.quantity === 0) continue;
    const unit = unitPrice(tariff, row, at);
    hourly += unit.hourly * BigInt(row.quantity);
    monthly += unit.monthly * BigInt(row.quantity);
  }
  return { hourly, monthly };
}
