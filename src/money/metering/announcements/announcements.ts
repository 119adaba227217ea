/**
 * Emits events to accounts whose resources will change in price. Each SKU is announced once per date of change.
 * The feed keeps events for 30 days, so a date that is still ahead after that is announced again.
 */
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import { transact } from '../../../store/transaction.ts';
import { bookOf } from '../../prices/book.ts';
import { accountsBilledBy, lockAnnounced } from './store.ts';

/** SKUs grouped by the time of their price change. */
function changesAfter(catalogue: Catalogue, now: Date): Map<string, string[]> {
  const byDay = new Map<string, string[]>();
  for (const [sku, versions] of bookOf(catalogue).versions) {
    for (const { from } of versions) {
      if (from <= now.getTime()) continue;
      const day = new Date(from).toISOString();
      byDay.set(day, [...(byDay.get(day) ?? []), sku]);
    }
  }
  return byDay;
}

const eventOf = (validFrom: string, skus: readonly string[]): NewEvent => ({
  type: 'price.change_announced',
  resource: { type: 'price', id: null, name: null },
  message: `From ${validFrom} on, new prices apply to ${skus.join(', ')}.`,
  data: { valid_from: validFrom, skus },
});

export async function announcePrices(
  { db, registry }: Pick<Services, 'db' | 'registry'>,
  catalogue: Catalogue,
  now: Date,
): Promise<void> {
  for (const [day, changing] of changesAfter(catalogue, now)) {
    for (const { account_id: accountId, skus } of await accountsBilledBy(db, changing)) {
      await transact(db, async (tx) => {
        const told = await lockAnnounced(tx, accountId, day);
        const news = skus.filter((sku) => !told.has(sku));
        if (news.length > 0)
          await writeEvents(tx, registry, { accountId, actor: HOSTPLANE }, [eventOf(day, news)]);
      });
    }
  }
}

export const priceAnnouncements: Schedule = {
  name: 'metering.announce',
  everySeconds: 3600,
  run: (services) => announcePrices(services, services.provider.catalogue, new Date()),
};
