/**
 * Stores measured usage: traffic, requests, stored bytes. Families report the total of the month so far, so a
 * report repeated after a crash adds nothing. A family that keeps no such total reports what was added, in the
 * transaction that stores its own counter. The meter stores what each day added, with its price at the time.
 */
import { type Micro, most, sum } from '../../../kernel/micro.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import { bookOf, rateOf } from '../../prices/book.ts';
import { HOURS_PER_MONTH, linesOf } from '../../prices/line.ts';
import { dayName, monthAt } from '../calendar.ts';
import { addToDay, findOrigin, lockMonth } from './store.ts';

interface Measured {
  readonly resourceId: string;
  readonly sku: string;
  /** The free quantity of this month; default: the included quantity of the price list. */
  readonly included?: Micro;
  readonly at: Date;
}

/** In the unit of the SKU: the total since the month began, or what the last report did not have yet. */
type Reading = Measured & ({ readonly quantity: Micro } | { readonly added: Micro });

export async function addReading(db: Db, catalogue: Catalogue, reading: Reading): Promise<void> {
  const { resourceId, sku, at } = reading;
  const origin = await findOrigin(db, resourceId);
  if (origin === undefined) throw new Error(`${resourceId} was never metered: note it before reading it.`);
  const rate = rateOf(bookOf(catalogue), sku, origin.location, at);
  if (rate === undefined) throw new Error(`${sku} has no price at ${at.toISOString()}.`);
  const month = dayName(monthAt(at.getTime()).from);
  const before = await lockMonth(db, resourceId, sku, month);
  const quantity = 'added' in reading ? before.quantity + reading.added : reading.quantity;
  if (quantity === before.quantity) return;
  const included = reading.included ?? rate.included;
  const costOf = (used: Micro): Micro => {
    const entry = { description: sku, quantity: used, included, hours: HOURS_PER_MONTH };
    return sum(linesOf({ ...rate, setup: 0n }, entry, 1).map(({ monthly }) => monthly));
  };
  await addToDay(db, origin, {
    sku,
    day: dayName(at.getTime()),
    unit: rate.unit,
    readAt: at,
    quantity: quantity - before.quantity,
    billable: most(0n, quantity - included) - before.billable,
    cost: costOf(quantity) - costOf(before.quantity),
  });
}
