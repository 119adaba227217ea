/** For a dry run of `setBudget`: finds the calls of the last 30 days that the budget would have refused. */
import type { Warning } from '../../../kernel/effect.ts';
import { divide, type Micro, micro, sum } from '../../../kernel/micro.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { Db } from '../../../store/database.ts';
import { DAY_MS, monthAt, monthOf, type Period } from '../../metering/calendar.ts';
import { costWithin, type Entry, SCALE } from '../../metering/totals/entry.ts';
import type { Declaration } from '../budget.ts';
import { type Scoped, selectionOf, spendingScope } from '../figures.ts';
import { readMonth } from '../load/store.ts';
import { findCalls, type PastCall } from './store.ts';

const LOOK_BACK_MS = 30 * DAY_MS;
const NAMED = 20;

/** The first of the given number of steps at which something holds that goes on to hold; null: it never does. */
function firstStep(steps: number, holds: (step: number) => boolean): number | null {
  if (!holds(steps)) return null;
  let before = -1;
  let after = steps;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (holds(middle)) after = middle;
    else before = middle;
  }
  return after;
}

/** Finds the time when the amount was reached: first the day, then the millisecond. Cost never decreases in a month. */
async function reachedAt(
  db: Db,
  accountId: string,
  budget: Scoped,
  period: Period,
  amount: Micro,
): Promise<Date | null> {
  const [from, to] = [period.from.getTime(), period.to.getTime()];
  const month = monthAt(from);
  const isReached = (entries: readonly Entry[], until: number): boolean =>
    divide(sum(entries.map((entry) => costWithin(entry, month, from, until))), SCALE) >= amount;
  const days = await readMonth(db, accountId, selectionOf(budget), period);
  const endOf = (day: number): number => Math.min(to, from + day * DAY_MS);
  const day = firstStep(Math.ceil((to - from) / DAY_MS), (step) => isReached(days, endOf(step)));
  if (day === null) return null;
  const start = endOf(day - 1);
  // A time within the day, so that the entries of this day are read one by one.
  const exact = await readMonth(db, accountId, selectionOf(budget), period, new Date(start + 1));
  const ms = firstStep(endOf(day) - start, (step) => isReached(exact, start + step));
  return ms === null ? null : new Date(start + ms);
}

/** Newest month first. */
function monthsBack(since: Date, now: Date): Period[] {
  const months: Period[] = [];
  for (let month = monthOf(now); month.to > since; month = monthOf(new Date(month.from.getTime() - 1))) {
    months.push({ from: month.from, to: month.to < now ? month.to : now });
  }
  return months;
}

const tell = ({ action, actor, at, requestId }: PastCall): Warning => ({
  code: 'would_have_been_refused',
  detail: `${action} by ${actor} at ${at.toISOString()}${requestId === null ? '' : ` (${requestId})`}`,
  pointer: '/amount',
});

export async function lookBack(
  db: Db,
  { endpoints }: Pick<Registry, 'endpoints'>,
  accountId: string,
  { action, amount, scope, id }: Declaration & Scoped,
  now: Date,
): Promise<Warning[]> {
  if (action !== 'block_new_cost') return [];
  const since = new Date(now.getTime() - LOOK_BACK_MS);
  const spending = spendingScope(scope);
  const blocked: Period[] = [];
  for (const month of monthsBack(since, now)) {
    const reached = await reachedAt(db, accountId, { id, scope }, month, micro(amount));
    if (reached !== null) blocked.push({ from: reached > since ? reached : since, to: month.to });
  }
  const actions = endpoints
    .filter(({ raisesCost, family }) => raisesCost === true && (scope.families?.includes(family) ?? true))
    .map(({ id }) => id);
  const calls = await findCalls(db, accountId, { blocked, actions, spending }, NAMED + 1);
  const detail = `More calls than these ${NAMED} would have been refused; see the audit log.`;
  return [
    ...calls.slice(0, NAMED).map(tell),
    ...(calls.length > NAMED ? [{ code: 'more_would_have_been_refused', detail, pointer: '/amount' }] : []),
  ];
}
