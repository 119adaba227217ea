/** Whether blocking budgets have room for a cost, and the problem if one has not. */
import { type Micro, micro } from '../../kernel/micro.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { formatMoney } from '../prices/format.ts';
import { type Declaration, refuses } from './budget.ts';
import type { Load } from './figures.ts';
import type { BudgetRow } from './store.ts';

export const NOTHING: Load = { spent: 0n, committed: 0n };

export interface Claim {
  readonly budget: BudgetRow;
  /** The monthly cost that would be added within the scope of this budget. */
  readonly requested: Micro;
}

type WouldAdd = (requested: string) => string;

/** `load` includes the claim, because its rows are already written. */
function refusal({ budget, requested }: Claim, load: Load, wouldAdd: WouldAdd): Problem {
  const { id, name, amount, currency, blocks } = budget;
  const shown = {
    budget_id: id,
    amount,
    spent: formatMoney(load.spent),
    committed: formatMoney(load.committed - requested),
    requested: formatMoney(requested),
  };
  const before = blocks === 'spent' ? load.spent : load.committed - requested;
  const left = micro(amount) - before;
  const used =
    blocks === 'spent'
      ? `Spent so far: ${shown.spent}.`
      : `Spent so far: ${shown.spent}. Committed for the whole month: ${shown.committed}.`;
  const rest = left > 0n ? `Still left: ${formatMoney(left)}.` : 'Nothing is left.';
  return new Problem('budget_exceeded', {
    detail: `The budget ${name} is ${amount} ${currency} a month. ${used} ${rest} ${wouldAdd(shown.requested)}`,
    extra: shown,
  });
}

/** What is left of it: negative if it has no room. */
export const roomIn = ({ amount, blocks }: Pick<Declaration, 'amount' | 'blocks'>, load: Load): Micro =>
  micro(amount) - (blocks === 'spent' ? load.spent : load.committed);

/**
 * Throws 409 if a budget has no room. If several have none, the problem names the one with the least amount left.
 * `wouldAdd` is the sentence about the cost.
 */
export function refuseWithoutRoom(
  claims: readonly Claim[],
  loads: readonly Load[],
  wouldAdd: WouldAdd = (requested) => `This call would add ${requested} a month.`,
): void {
  const [strictest] = claims
    .map((claim, i) => ({ claim, load: loads[i] ?? NOTHING }))
    .filter(({ claim, load }) => refuses(claim.budget, load))
    .sort((a, b) => (roomIn(a.claim.budget, a.load) < roomIn(b.claim.budget, b.load) ? -1 : 1));
  if (strictest !== undefined) throw refusal(strictest.claim, strictest.load, wouldAdd);
}
