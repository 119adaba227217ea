/**
 * Finds the limits and budgets that the items of an estimate would exceed, so that a caller sees it before
 * creating them.
 */
import { type Micro, sum, toCents } from '../../kernel/micro.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { BasketItem } from './basket.ts';
import { bookOf } from './book.ts';
import { formatMoney } from './format.ts';
import type { Estimate } from './schema.ts';

/** Returns the value and the usage of a limit for this account. A `limit` of `null` means unlimited. */
export type LimitState = (
  id: string,
  location: string | null,
) => { limit: number | null; used: number } | null;

export interface BudgetState {
  readonly id: string;
  readonly amount: Micro;
  readonly spent: Micro;
  readonly committed: Micro;
  readonly blocks: 'spent' | 'forecast';
  /** Whether the cost of the item counts against the budget. */
  covers(item: BasketItem): boolean;
}

/** The default for estimates without an account: the provider's limits, with nothing used. */
export function limitsOf(catalogue: Catalogue): LimitState {
  const { limits } = bookOf(catalogue);
  return (id) => {
    const entry = limits.get(id);
    return entry ? { limit: entry.limit, used: 0 } : null;
  };
}

export function exceededLimits(
  catalogue: Catalogue,
  items: readonly BasketItem[],
  state: LimitState,
): Estimate['exceeds_limits'] {
  const { limits } = bookOf(catalogue);
  const wanted = new Map<string, { id: string; location: string | null; requested: number }>();
  for (const { priced, before } of items) {
    const count = (demands: typeof priced.demands, sign: 1 | -1): void => {
      for (const { limit: id, amount, location } of demands) {
        const at = limits.get(id)?.scope === 'location' ? location : null;
        const entry = wanted.get(`${id} ${at}`) ?? { id, location: at, requested: 0 };
        // A limit with scope `parent` applies to each parent separately, so the demands of several parents are
        // not added up.
        const isShared = limits.get(id)?.scope !== 'parent';
        entry.requested = isShared
          ? entry.requested + sign * amount
          : Math.max(entry.requested, sign * amount);
        wanted.set(`${id} ${at}`, entry);
      }
    };
    count(priced.demands, 1);
    if (before) count(before.demands, -1);
  }
  return [...wanted.values()].flatMap(({ id, location, requested }) => {
    const { limit, used } = state(id, location) ?? { limit: null, used: 0 };
    if (limit === null || requested <= 0 || used + requested <= limit) return [];
    return [{ limit_id: id, location, limit, used, requested }];
  });
}

export function exceededBudgets(
  items: readonly BasketItem[],
  budgets: readonly BudgetState[],
): Estimate['exceeds_budgets'] {
  return budgets.flatMap((budget) => {
    const inScope = items.filter(budget.covers);
    const requested = sum(
      inScope.map(({ priced, before }) => priced.monthly + priced.setup - (before?.monthly ?? 0n)),
    );
    return exceededBy(budget, requested);
  });
}

/** The budget as it is shown, if `requested` more a month does not fit into its amount; otherwise nothing. */
export function exceededBy(
  { id, amount, spent, committed, blocks }: Omit<BudgetState, 'covers'>,
  requested: Micro,
): Estimate['exceeds_budgets'] {
  const used = blocks === 'forecast' ? committed : spent;
  if (requested <= 0n || toCents(used + requested) <= amount) return [];
  const shown = {
    amount: formatMoney(amount),
    spent: formatMoney(spent),
    committed: formatMoney(committed),
    requested: formatMoney(requested),
  };
  return [{ budget_id: id, ...shown }];
}
