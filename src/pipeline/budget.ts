/**
 * Refuses a call that adds cost while a blocking budget is used up; this is the last conflict that is checked. The
 * budget rows stay locked until the commit, so concurrent calls are checked one after the other. Calls that stop,
 * shrink or delete a resource add no cost and are never refused here.
 */
import type { Done } from '../kernel/call.ts';
import type { Cost } from '../kernel/effect.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { type Declaration, isUsedUp } from '../money/budgets/budget.ts';
import { spentOf } from '../money/budgets/figures.ts';
import { covers } from '../money/budgets/scope.ts';
import { type BudgetRow, lockBlockingBudgets } from '../money/budgets/store.ts';
import { formatMoney } from '../money/prices/format.ts';
import type { Tx } from '../store/database.ts';

const monthlySum = (costs: readonly Cost[]): Micro => sum(costs.map(({ monthly }) => micro(monthly)));

interface Claim {
  readonly budget: BudgetRow;
  /** The monthly cost that the call would add within the scope of this budget. */
  readonly requested: Micro;
}

function claimsOn(budgets: readonly BudgetRow[], exchange: Exchange, costs: readonly Cost[]): Claim[] {
  const apiKeyId = callerOf(exchange).key.id;
  const { family: own } = endpointOf(exchange);
  return budgets
    .map((budget) => {
      const counted = costs.filter(({ family = own, labels = {} }) =>
        covers(budget.scope, { family, labels, apiKeyId }),
      );
      return { budget, requested: monthlySum(counted) };
    })
    .filter(({ requested }) => requested > 0n);
}

function refusal({ budget, requested }: Claim, spent: Micro): Problem {
  const { id, name, amount, currency } = budget;
  const shown = { budget_id: id, amount, spent: formatMoney(spent), requested: formatMoney(requested) };
  return new Problem('budget_exceeded', {
    detail: `The budget ${name} allows ${amount} ${currency} this month, of which ${shown.spent} are spent; this call would add ${shown.requested} a month.`,
    extra: shown,
  });
}

const roomIn = ({ amount }: Pick<Declaration, 'amount'>, spent: Micro): Micro => micro(amount) - spent;

/** If several budgets refuse the call, the problem names the budget with the least amount left. */
export async function budget(tx: Tx, exchange: Exchange, { costs }: Pick<Done, 'costs'>): Promise<void> {
  if (monthlySum(costs) <= 0n) return;
  const accountId = callerOf(exchange).account.id;
  const claims = claimsOn(await lockBlockingBudgets(tx, accountId), exchange, costs);
  if (claims.length === 0) return;
  const spent = await spentOf(
    tx,
    accountId,
    claims.map((claim) => claim.budget),
    new Date(),
  );
  const refusing = claims
    .map((claim, i) => ({ claim, spent: spent[i] ?? 0n }))
    .filter((found) => isUsedUp(found.claim.budget, found))
    .sort((a, b) => (roomIn(a.claim.budget, a.spent) < roomIn(b.claim.budget, b.spent) ? -1 : 1));
  const [strictest] = refusing;
  if (strictest !== undefined) throw refusal(strictest.claim, strictest.spent);
}
