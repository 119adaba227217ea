/**
 * Refuses a call that adds cost if a blocking budget has no room for it; this is the last conflict that is checked.
 * The budget rows stay locked until the commit, so concurrent calls are checked one after the other. Calls that stop,
 * shrink or delete a resource add no cost and are never refused here.
 */
import type { Done } from '../kernel/call.ts';
import type { CostChange } from '../kernel/effect.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import type { Services } from '../kernel/services.ts';
import { periodOf } from '../money/budgets/budget.ts';
import { loadsOf } from '../money/budgets/figures.ts';
import { pendingRows } from '../money/budgets/pending/store.ts';
import { type Claim, NOTHING, refuseWithoutRoom, roomIn } from '../money/budgets/room.ts';
import { covers } from '../money/budgets/scope.ts';
import { type BudgetRow, findBudgets, lockBlockingBudgets } from '../money/budgets/store.ts';
import { exceededBy } from '../money/prices/basket-limits.ts';
import { formatMoney } from '../money/prices/format.ts';
import type { Tx } from '../store/database.ts';
import { sendNow } from '../store/send-later.ts';
import type { ForeseenBudgets } from './dry-run.ts';
import { refuseRestricted } from './permission.ts';

const monthlySum = (costs: readonly CostChange[]): Micro => sum(costs.map(({ monthly }) => monthly));

/** A cost counts for the key that makes the call, and for the key that created the resource. */
function claimsOn(budgets: readonly BudgetRow[], exchange: Exchange, costs: readonly CostChange[]): Claim[] {
  const apiKeyId = callerOf(exchange).key?.id ?? null;
  const { family: own } = endpointOf(exchange);
  return budgets
    .map((budget) => {
      const counted = costs.filter(({ family = own, labels, creatorKeyId }) =>
        [apiKeyId, creatorKeyId ?? apiKeyId].some((key) =>
          covers(budget.scope, { family, labels, apiKeyId: key }),
        ),
      );
      return { budget, requested: monthlySum(counted) };
    })
    .filter(({ requested }) => requested > 0n);
}

/** For a dry run: what the call means for the budgets that cover what it adds, also those that only notify. */
export async function foreseenBudgets(
  tx: Tx,
  exchange: Exchange,
  { tariff }: Pick<Services, 'tariff'>,
  { costs }: Pick<Done, 'costs'>,
): Promise<ForeseenBudgets> {
  if (monthlySum(costs) <= 0n) return { exceeds: [], tightest: null };
  const accountId = callerOf(exchange).account.id;
  const now = new Date();
  const claims = claimsOn(await findBudgets(tx, accountId, periodOf(now)), exchange, costs);
  const budgets = claims.map((claim) => claim.budget);
  const loads = await loadsOf(tx, accountId, budgets, now, tariff);
  const exceeds = claims.flatMap(({ budget: { id, amount, blocks }, requested }, i) => {
    const { spent, committed } = loads[i] ?? NOTHING;
    const beside = { spent, committed: committed - requested };
    return exceededBy({ id, blocks, amount: micro(amount), ...beside }, requested);
  });
  const [tightest = null] = budgets
    .map((each, i) => ({ each, left: roomIn(each, loads[i] ?? NOTHING) }))
    .sort((a, b) => (a.left < b.left ? -1 : 1))
    .map(({ each: { id, name, amount }, left }) => ({
      budget_id: id,
      name,
      amount,
      left: formatMoney(left),
    }));
  return { exceeds, tightest };
}

/**
 * The meter has the cost of a call only once its operation has ended; until then these rows count. What a schedule is
 * going to cost counts by its plan.
 */
function pendingOf(exchange: Exchange, { costs, operation }: Pick<Done, 'costs' | 'operation'>) {
  if (operation === null) return [];
  const { family: own } = endpointOf(exchange);
  return pendingRows(
    operation.id,
    costs.filter(({ isPlanned }) => !isPlanned).map((cost) => ({ ...cost, family: cost.family ?? own })),
  );
}

/**
 * Also waits for the checks that the handler left to the statement of the budgets; their refusal comes first. If several
 * budgets refuse the call, the problem names the budget with the least amount left.
 */
export async function budget(
  tx: Tx,
  exchange: Exchange,
  services: Services,
  done: Pick<Done, 'costs' | 'operation' | 'checks'>,
): Promise<void> {
  const { costs, checks } = done;
  const isRaised = monthlySum(costs) > 0n;
  const accountId = callerOf(exchange).account.id;
  const blocking = isRaised ? await lockBlockingBudgets(tx, accountId, pendingOf(exchange, done)) : [];
  if (!isRaised && checks.length > 0) await sendNow(tx);
  await Promise.all(checks);
  if (!isRaised) return;
  refuseRestricted(exchange, services);
  const claims = claimsOn(blocking, exchange, costs);
  if (claims.length === 0) return;
  const budgets = claims.map((claim) => claim.budget);
  const loads = await loadsOf(tx, accountId, budgets, new Date(), services.tariff);
  refuseWithoutRoom(claims, loads);
}
