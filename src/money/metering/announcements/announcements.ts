/**
 * Tells accounts that what they have will cost something else from a day on. Each SKU is told of once a day of change;
 * once more after 30 days, when the feed has forgotten, if that day is still ahead.
 */

import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import { transact } from '../../../store/transaction.ts';
import { bookOf } from '../../prices/book.ts';
import { accountsBilledBy, lockAnnounced } from './store.ts';

/** SKUs by the day that their price changes on. */
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
  message: `From ${validFrom} on other prices hold for ${skus.join(', ')}.`,
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
