/**
 * Keeps the meter spans of a resource up to date. Callers must hold the lock on the resource's row, so that a
 * concurrent change, deletion and repricing run one after the other.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../store/database.ts';
import type { References } from '../prices/bill.ts';
import type { PricedItem } from '../prices/price.ts';
import type { Tariff } from '../prices/tariff.ts';
import { laterOf } from './calendar.ts';
import { isRunning, type MeterLine, sameRates } from './line.ts';
import { asPaid, meter } from './span-lines.ts';
import {
  addSpan,
  amendSpan,
  endOpenSpan,
  endSpan,
  findLastSpan,
  findOpenSpan,
  type NewSpan,
  type OpenSpan,
} from './store.ts';

export type Followed = Omit<NewSpan, 'lines' | 'startedAt'>;

export interface Pricing {
  readonly tariff: Tariff;
  readonly references?: References | undefined;
  /** The resource is new, so it has no span yet. */
  readonly isNew?: boolean;
}

/**
 * Starts or replaces the span of a resource that was created, changed, or became billable (again). One-time
 * prices that were already paid are not charged again. Returns the price, or `null` if the catalogue no longer
 * has one.
 */
export async function follow(
  db: Db,
  next: Followed,
  now: Date,
  { tariff, references, isNew = false }: Pricing,
): Promise<PricedItem | null> {
  const last = isNew ? undefined : await findLastSpan(db, next.resourceId);
  const isUnchanged = last !== undefined && isDeepStrictEqual(makeOf(last.span), makeOf(next));
  const before = last === undefined ? null : { lines: last.span.lines, isUnchanged };
  const goOn = async (lines: readonly MeterLine[]): Promise<void> => {
    if (last?.isOpen) await succeedSpan(db, last.span, next, lines, now);
    else await addSpan(db, { ...next, lines, startedAt: now });
  };
  const metered = meter(tariff, next, now, before, references);
  if (metered.ok) {
    await goOn(metered.lines);
    return metered.item;
  }
  // An unchanged resource keeps its last price if parts of its configuration are no longer in the catalogue.
  if (last === undefined || !isUnchanged)
    throw new Error(`${next.type} ${next.resourceId} cannot be priced: ${metered.reason}`);
  await goOn(last.span.lines.map(asPaid));
  return null;
}

export type Change = Pick<Followed, 'name' | 'location'> & {
  readonly labels?: Followed['labels'] | undefined;
};

/** For a change that does not affect the price: name, location or labels, by which costs are grouped. */
export async function followChange(db: Db, resourceId: string, change: Change, now: Date): Promise<void> {
  const open = await findOpenSpan(db, resourceId);
  if (open === undefined) return;
  const { name, location, labels = open.labels } = change;
  await succeedSpan(db, open, { ...open, name, location, labels }, open.lines.map(asPaid), now);
}

/** Ends the span of a resource that was deleted or is no longer billable. */
export async function unfollow(db: Db, resourceId: string, now: Date): Promise<void> {
  await endOpenSpan(db, resourceId, now);
}

async function succeedSpan(
  db: Db,
  open: OpenSpan,
  next: Followed,
  lines: readonly MeterLine[],
  now: Date,
): Promise<void> {
  const owesMore = lines.some((line) => !isRunning(line) && line.monthly > 0n);
  const isSame =
    open.location === next.location &&
    isDeepStrictEqual(open.labels, next.labels) &&
    sameRates(open.lines, lines) &&
    !owesMore;
  if (isSame) {
    const isAmended = open.name !== next.name || !isDeepStrictEqual(makeOf(open), makeOf(next));
    if (isAmended) await amendSpan(db, open.id, next);
    return;
  }
  const startedAt = laterOf(open.startedAt, now);
  await endSpan(db, open.id, startedAt);
  await addSpan(db, { ...next, lines, startedAt });
}

const makeOf = ({ pricedAs, configuration, contractMonths = 1, isStopped = false }: Followed) => ({
  pricedAs,
  configuration,
  contractMonths,
  isStopped,
});
