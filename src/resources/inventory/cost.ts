/** Formats prices for answers, and computes by how much a call changes what the meter bills. */
import type { CostChange, CostLine } from '../../kernel/effect.ts';
import { findPrices } from '../../kernel/inventory/store.ts';
import type { Services } from '../../kernel/services.ts';
import { meter, type Subject } from '../../money/metering/span-lines.ts';
import { formatMoney, formatRate } from '../../money/prices/format.ts';
import type { Amounts, PricedItem } from '../../money/prices/price.ts';
import type { Db } from '../../store/database.ts';

export function priceShown({ provider }: Pick<Services, 'provider'>, { hourly, monthly }: Amounts) {
  return {
    hourly: formatRate(hourly),
    monthly: formatMoney(monthly),
    currency: provider.provider.currency,
  };
}

/** The price that the meter bills for a resource that exists. `null`: it cannot be priced any more. */
export function billedPrice(
  { tariff }: Pick<Services, 'tariff'>,
  subject: Subject,
  at: Date,
): PricedItem | null {
  const metered = meter(tariff, subject, at, { lines: [], isUnchanged: true });
  return metered.ok ? metered.item : null;
}

type Shown = ReturnType<typeof priceShown>;

/** What a resource that can be stopped costs while it runs, and while it is stopped. */
export interface StatePrices {
  readonly price_running: Shown;
  readonly price_stopped: Shown;
}

const MOST_PRICES = 1_000;
const PRICE_MS = 60_000;
const known = new WeakMap<Services['tariff'], Map<string, StatePrices & { readonly until: number }>>();

/**
 * Cached per configuration, because lists show many machines of the same size. Entries expire after a minute, because
 * prices change by date. `otherwise` is shown for a resource that cannot be priced any more.
 */
export function statePrices(
  services: Pick<Services, 'tariff' | 'provider'>,
  subject: Omit<Subject, 'isStopped'>,
  at: Date,
  otherwise: Amounts,
): StatePrices {
  const prices = known.get(services.tariff) ?? new Map();
  known.set(services.tariff, prices);
  const name = JSON.stringify([subject.pricedAs, subject.contractMonths, subject.configuration]);
  const last = prices.get(name);
  if (last !== undefined && at.getTime() < last.until) return last;
  const [running, stopped] = [false, true].map((isStopped) =>
    billedPrice(services, { ...subject, isStopped }, at),
  );
  const shown = {
    price_running: priceShown(services, running ?? otherwise),
    price_stopped: priceShown(services, stopped ?? otherwise),
    until: (Math.floor(at.getTime() / PRICE_MS) + 1) * PRICE_MS,
  };
  if (prices.size >= MOST_PRICES) prices.clear();
  if (running && stopped) prices.set(name, shown);
  return shown;
}

/** What costs nothing at present, such as traffic within what is included, is no part of the cost. */
export const costLines = ({ lines }: PricedItem): CostLine[] =>
  lines
    .filter(({ monthly }) => monthly !== 0n)
    .map(({ description, hourly, monthly }) => ({ description, hourly: hourly ?? 0n, monthly }));

export const FREE: Amounts = { hourly: 0n, monthly: 0n };

/** A resource that a call is going to change. */
export interface Changing {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What is billed once the change has taken effect. `null`: nothing. */
  readonly after: Subject | null;
}

/**
 * The difference between what the meter is going to bill and what it bills now. A resource that cannot be priced any
 * more keeps its price. `isNew`: the resources were added by this call, and nothing is billed for them yet.
 */
export async function costChanges(
  db: Db,
  services: Pick<Services, 'tariff'>,
  changing: readonly Changing[],
  at: Date,
  isNew = false,
): Promise<CostChange[]> {
  const ids = isNew ? [] : changing.map(({ id }) => id);
  const billed = await findPrices(db, ids);
  return changing.map(({ id, labels, after }) => {
    const { hourly, monthly, apiKeyId } = billed.get(id) ?? { ...FREE, apiKeyId: null };
    const priced = after === null ? null : billedPrice(services, after, at);
    const next = after === null ? FREE : (priced ?? { hourly, monthly });
    return {
      hourly: next.hourly - hourly,
      monthly: next.monthly - monthly,
      labels,
      resourceId: id,
      creatorKeyId: apiKeyId,
      monthlyAfter: next.monthly,
      ...(isNew && priced !== null ? { lines: costLines(priced) } : {}),
    };
  });
}
