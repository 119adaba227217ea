/** Inserts money spent in the current month directly into the tables of the meter. */
import { newId } from '../kernel/ids.ts';
import { micro } from '../kernel/micro.ts';
import { monthOf } from '../money/metering/calendar.ts';
import { addSpan, endSpan } from '../money/metering/store.ts';
import type { Db } from '../store/database.ts';

export interface Spending {
  readonly family?: string;
  readonly sku?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly apiKeyId?: string;
  /** Default: the beginning of the current month. */
  readonly at?: Date;
}

export async function spend(
  db: Db,
  accountId: string,
  amount: string,
  { family = 'workshop', sku = 'setup', labels = {}, apiKeyId, at = monthOf(new Date()).from }: Spending = {},
): Promise<void> {
  const once = { sku, unit: 'item', pace: 'once', hourly: 0n } as const;
  const span = {
    accountId,
    resourceId: newId('request').replace(/^req/, 'wid'),
    family,
    type: 'widget',
    name: 'spent',
    location: null,
    labels,
    apiKeyId: apiKeyId ?? null,
    pricedAs: 'widget',
    configuration: {},
    lines: [{ ...once, quantity: 1_000_000n, billable: 1_000_000n, monthly: micro(amount) }],
    startedAt: at,
  };
  const { id } = await addSpan(db, span);
  await endSpan(db, id, at);
}
