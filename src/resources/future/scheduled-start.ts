/**
 * For schedules that start operations which can add cost. It is checked again when it arises: what was planned may no
 * longer fit into a budget that was lowered, or that other resources have used up. The account may also have been
 * suspended since.
 */
import { accountRefusal } from '../../kernel/access/caller.ts';
import { findAccount } from '../../kernel/access/store.ts';
import type { Start } from '../../kernel/operations/kind.ts';
import { startOperation } from '../../kernel/operations/operations.ts';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { loadsOf } from '../../money/budgets/figures.ts';
import { type NewCost, pendingRows } from '../../money/budgets/pending/store.ts';
import { refuseWithoutRoom } from '../../money/budgets/room.ts';
import { covers } from '../../money/budgets/scope.ts';
import { lockBlockingBudgets } from '../../money/budgets/store.ts';
import type { Setter } from '../../money/future/store.ts';
import type { Tx } from '../../store/database.ts';

interface Adding {
  /** Who set the schedule: budgets for that key count the cost. */
  readonly setter: Pick<Setter, 'api_key_id'>;
  /** What the operation adds to the bill. The resource has its inventory entry already. */
  readonly costs: readonly NewCost[];
  /** Begins the sentence about the cost: `The backup of web-1`. */
  readonly what: string;
}

/** A schedule may do no more than the same call of the account. Throws 403 as the call would. */
async function requireAllowed(tx: Tx, accountId: string, family: string, addsCost: boolean): Promise<void> {
  const account = await findAccount(tx, accountId);
  if (account === undefined) throw new Error(`There is no account ${accountId}.`);
  const { status, products } = account;
  const code = accountRefusal(status, { method: 'POST', ...(addsCost ? { raisesCost: true } : {}) });
  if (code !== null) throw new Problem(code, { detail: `The account is ${status}.` });
  if (!products.includes(family)) throw new Problem('product_not_enabled');
}

/**
 * Throws 403 if the account may not do this in its present state, and 409 `budget_exceeded` if a budget has no room: the caller rolls back, and tells the customer. What schedules
 * plan does not count here: estimates keep room free of new calls, but they do not stop what was planned. `adding` is
 * null if the operation adds nothing to the bill.
 */
export async function startScheduled<I>(
  tx: Tx,
  { registry }: Pick<Services, 'registry'>,
  start: Start<I>,
  accountId: string,
  adding: Adding | null,
): Promise<StoredOperation> {
  const addsCost = adding?.costs.some(({ monthly }) => monthly > 0n) === true;
  await requireAllowed(tx, accountId, start.kind.family, addsCost);
  const operation = await startOperation(tx, registry, start, { accountId, hasCheckedCost: true });
  if (adding === null) return operation;
  const { setter, costs, what } = adding;
  const blocking = await lockBlockingBudgets(tx, accountId, pendingRows(operation.id, costs));
  const claims = blocking.flatMap((budget) => {
    const counted = costs.filter((cost) => covers(budget.scope, { ...cost, apiKeyId: setter.api_key_id }));
    const requested = counted.reduce((sum, { monthly }) => sum + monthly, 0n);
    return counted.length === 0 ? [] : [{ budget, requested }];
  });
  const budgets = claims.map(({ budget }) => budget);
  refuseWithoutRoom(
    claims,
    await loadsOf(tx, accountId, budgets, new Date(), null),
    (requested) => `${what} would add ${requested} a month.`,
  );
  return operation;
}
