/** For a dry run of `setBudget`: finds the calls of the last 30 days that the budget would have refused. */
import type { Warning } from '../../../kernel/effect.ts';
import { type Micro, micro } from '../../../kernel/micro.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { Db } from '../../../store/database.ts';
import { DAY_MS, monthOf, type Period } from '../../metering/calendar.ts';
import type { SpendingScope } from '../../metering/scope.ts';
import type { Ledger } from '../../metering/span.ts';
import { spentOn } from '../../metering/spent.ts';
import { readLedger } from '../../metering/store.ts';
import type { Declaration } from '../budget.ts';
import { spendingScope } from '../figures.ts';
import { findCalls, type PastCall } from './store.ts';

const LOOK_BACK_MS = 30 * DAY_MS;
const NAMED = 20;

/** Finds the time when the amount was reached, by binary search: the cost within a month never decreases. */
function reachedAt(ledger: Ledger, { from, to }: Period, scope: SpendingScope, amount: Micro): Date | null {
  const isReached = (until: number): boolean =>
    spentOn(ledger, { from, to }, scope, new Date(until)) >= amount;
  let before = from.getTime();
  let after = to.getTime();
  if (!isReached(after)) return null;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isReached(middle)) after = middle;
    else before = middle;
  }
  return new Date(after);
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
  { action, amount, scope }: Declaration,
  now: Date,
): Promise<Warning[]> {
  if (action !== 'block_new_cost') return [];
  const since = new Date(now.getTime() - LOOK_BACK_MS);
  const spending = spendingScope(scope);
  const blocked: Period[] = [];
  for (const month of monthsBack(since, now)) {
    const ledger = await readLedger(db, accountId, month, spending);
    const reached = reachedAt(ledger, month, spending, micro(amount));
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
