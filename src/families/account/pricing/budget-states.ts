import type { Call } from '../../../kernel/call.ts';
import { micro } from '../../../kernel/micro.ts';
import { Labels } from '../../../kernel/schema.ts';
import { isValid } from '../../../kernel/validation.ts';
import { periodOf } from '../../../money/budgets/budget.ts';
import { loadsOf } from '../../../money/budgets/figures.ts';
import { covers } from '../../../money/budgets/scope.ts';
import { findBudgets } from '../../../money/budgets/store.ts';
import type { BasketItem } from '../../../money/prices/basket.ts';
import type { BudgetState } from '../../../money/prices/basket-limits.ts';

type LabelsById = ReadonlyMap<string, { readonly labels: Readonly<Record<string, string>> }>;

/** The labels of the new resource, or of the existing resource that the item changes. */
function labelsOf({ request }: BasketItem, existing: LabelsById): Readonly<Record<string, string>> {
  if (request.change !== undefined) return existing.get(request.change.resource_id)?.labels ?? {};
  const labels = request.configuration?.['labels'];
  return isValid(Labels, labels) ? (labels as Record<string, string>) : {};
}

/**
 * The budgets of the account, each with a test whether it covers an item that the caller creates or
 * changes.
 */
export async function readBudgetStates(
  { db, caller, now, services }: Pick<Call, 'db' | 'caller' | 'now' | 'services'>,
  existing: LabelsById,
): Promise<BudgetState[]> {
  const apiKeyId = caller.key?.id ?? null;
  const budgets = await findBudgets(db, caller.account.id, periodOf(now));
  const loads = await loadsOf(db, caller.account.id, budgets, now, services.tariff);
  return budgets.map(({ id, amount, blocks, scope }, i) => ({
    id,
    amount: micro(amount),
    blocks,
    ...(loads[i] ?? { spent: 0n, committed: 0n }),
    covers: (item) =>
      covers(scope, { family: item.priced.family, labels: labelsOf(item, existing), apiKeyId }),
  }));
}
