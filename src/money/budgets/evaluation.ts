/**
 * Schedule that evaluates all budgets every minute: records newly crossed thresholds, emits their events, and
 * resets budgets in a new month.
 */
import { HOSTPLANE, type NewEvent } from '../../kernel/events/event.ts';
import { writeEvents } from '../../kernel/events/write-events.ts';
import type { Schedule } from '../../kernel/schedule.ts';
import type { Services } from '../../kernel/services.ts';
import type { Tx } from '../../store/database.ts';
import { crossedBy, type Figures, periodOf, sameThreshold } from './budget.ts';
import { figuresOf } from './figures.ts';
import {
  type BudgetWithCrossings,
  beginPeriod,
  findAccountsWithBudgets,
  findBudgets,
  lockBudget,
  recordCrossings,
} from './store.ts';
import { tellCrossings, tellReset } from './threshold-events.ts';

const ACCOUNTS = 500;

function hasNews(budget: BudgetWithCrossings, figures: Figures, period: string): boolean {
  const known = (threshold: { percent: number; basis: 'actual' | 'forecast' }): boolean =>
    budget.crossed.some((crossing) => sameThreshold(crossing, threshold));
  return budget.period < period || !crossedBy(budget, figures).every(known);
}

/**
 * Locks the row, so that of two concurrent evaluations the second one finds the crossings recorded and emits
 * nothing.
 */
async function evaluate(
  tx: Tx,
  { id, account_id, version }: BudgetWithCrossings,
  figures: Figures,
  period: string,
): Promise<NewEvent[]> {
  const budget = await lockBudget(tx, account_id, { by: 'id', value: id }, period);
  // The budget was deleted or changed after its figures were read; the next run evaluates it with new figures.
  if (budget?.version !== version) return [];
  const wasCrossed = budget.period < period && (await beginPeriod(tx, id, period));
  const fresh = await recordCrossings(tx, id, period, crossedBy(budget, figures));
  return [
    ...(wasCrossed ? [tellReset(budget, period, figures)] : []),
    ...tellCrossings(budget, period, figures, fresh),
  ];
}

async function evaluateAccount(
  { db, registry }: Pick<Services, 'db' | 'registry'>,
  accountId: string,
  now: Date,
): Promise<void> {
  const period = periodOf(now);
  const budgets = await findBudgets(db, accountId, period);
  const figures = await figuresOf(db, accountId, budgets, now);
  const news = budgets.flatMap((budget, i) => {
    const own = figures[i];
    return own !== undefined && hasNews(budget, own, period) ? [{ budget, own }] : [];
  });
  if (news.length === 0) return;
  await db.transaction().execute(async (tx) => {
    const events: NewEvent[] = [];
    for (const { budget, own } of news) events.push(...(await evaluate(tx, budget, own, period)));
    await writeEvents(tx, registry, { accountId, actor: HOSTPLANE }, events);
  });
}

/** An error in one account is logged and does not stop the evaluation of the others. */
export async function evaluateBudgets(
  services: Pick<Services, 'db' | 'registry' | 'log'>,
  now: Date = new Date(),
): Promise<void> {
  for (let after = ''; ; ) {
    const accounts = await findAccountsWithBudgets(services.db, after, ACCOUNTS);
    for (const accountId of accounts) {
      await evaluateAccount(services, accountId, now).catch((error: unknown) =>
        services.log.error({ err: error, account_id: accountId }, 'budgets were not evaluated'),
      );
    }
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < ACCOUNTS) return;
    after = last;
  }
}

export const budgetEvaluation: Schedule = {
  name: 'budgets.evaluate',
  everySeconds: 60,
  run: (services) => evaluateBudgets(services),
};
