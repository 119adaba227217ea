/**
 * Applies new prices to existing spans. A span is split at the `valid_from` of the new price, however late this
 * runs, or at the current time if the price list changed without a date. Earlier costs keep the old price. The
 * function is idempotent and safe to run concurrently.
 */
import { lockResource, notePrice } from '../../kernel/inventory/store.ts';
import type { Schedule } from '../../kernel/schedule.ts';
import type { Db } from '../../store/database.ts';
import type { Tariff } from '../prices/tariff.ts';
import { DAY_MS } from './calendar.ts';
import { momentsBetween, priceChanges, type Segment } from './span-lines.ts';
import {
  addSpan,
  endSpan,
  findOpenSpan,
  listOpenSpans,
  listSpansAround,
  type OpenSpan,
  type PastSpan,
  shortenSpan,
} from './store.ts';

const PAGE = 500;
/** How far back spans are corrected that ended after a new price took effect, but before this schedule ran. */
const LATEST_MS = 35 * DAY_MS;

/** Called for spans whose price is no longer on the price list. */
type OnKept = (span: OpenSpan, reason: string) => void;

export async function repriceSpans(db: Db, tariff: Tariff, now: Date, onKept: OnKept): Promise<void> {
  const { catalogue } = tariff;
  for await (const span of pages((after) => listOpenSpans(db, after, PAGE))) {
    const moments = [...momentsBetween(catalogue, span.pricedAt, now, span.lines), now];
    if (now < span.startedAt) continue;
    const segments = priceChanges(tariff, span, moments, (reason) => onKept(span, reason));
    if (segments.length > 0) await splitOpen(db, span, segments);
  }
  for (const moment of momentsBetween(catalogue, new Date(now.getTime() - LATEST_MS), now)) {
    for await (const span of pages((after) => listSpansAround(db, moment, after, PAGE))) {
      const moments = momentsBetween(catalogue, span.pricedAt, span.endedAt, span.lines);
      const segments = priceChanges(tariff, span, moments, (reason) => onKept(span, reason));
      if (segments.length > 0) await splitPast(db, span, segments);
    }
  }
}

async function* pages<T extends { readonly id: number }>(read: (after: number) => Promise<T[]>) {
  let rows = await read(0);
  while (rows.length > 0) {
    yield* rows;
    rows = await read(rows.at(-1)?.id ?? 0);
  }
}

async function splitOpen(db: Db, { id, resourceId }: OpenSpan, segments: readonly Segment[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockResource(tx, resourceId);
    let current = await findOpenSpan(tx, resourceId);
    if (current?.id !== id) return;
    for (const { at, item, lines } of segments) {
      await endSpan(tx, current.id, at);
      current = await addSpan(tx, { ...current, lines, startedAt: at, pricedAt: at });
      await notePrice(tx, resourceId, item);
    }
  });
}

async function splitPast(db: Db, span: PastSpan, segments: readonly Segment[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const [first] = segments;
    if (first === undefined || !(await shortenSpan(tx, span, first.at))) return;
    for (const [i, { at, lines }] of segments.entries()) {
      const next = { ...span, lines, startedAt: at, pricedAt: at };
      await addSpan(tx, next, segments[i + 1]?.at ?? span.endedAt);
    }
  });
}

export const repricing: Schedule = {
  name: 'metering.reprice',
  everySeconds: 300,
  run: ({ db, tariff, log, metrics }) =>
    repriceSpans(db, tariff, new Date(), ({ resourceId }, reason) => {
      metrics.alarms.inc({ alarm: 'price_gone' });
      log.warn({ resource_id: resourceId, reason }, 'a resource keeps a price that is no longer on the list');
    }),
};
