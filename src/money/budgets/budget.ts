/**
 * The model of a monthly budget: its amount, scope, thresholds and action, and the status that follows from the
 * costs.
 */
import { type Micro, micro, toCents } from '../../kernel/micro.ts';
import { statesAllowing } from '../../kernel/published-states.ts';
import { keysOf, Named, OneOf, volatile } from '../../kernel/schema.ts';

const actionMeanings = {
  notify: 'Only events and e-mails are sent.',
  block_new_cost: 'Calls in the scope that add cost are refused, as `blocks` says.',
} as const;
export const actions = keysOf(actionMeanings);
export type Action = keyof typeof actionMeanings;
export const ActionShape = Named(
  'BudgetAction',
  OneOf(actionMeanings, { description: 'What the budget does when its amount is reached.' }),
);
const blockingMeanings = {
  spent: 'Calls that add cost are refused after the amount is spent.',
  forecast:
    'Also calls are refused whose monthly price does not fit into the amount beside all that runs or is being created, each for a whole month, and what this month has cost otherwise.',
} as const;
/** What a blocking budget compares with its amount: the cost so far, or what the account is committed to. */
export const blockings = keysOf(blockingMeanings);
export type Blocking = keyof typeof blockingMeanings;
export const BlockingShape = Named(
  'BudgetBlocking',
  OneOf(blockingMeanings, { description: 'Which calls `block_new_cost` refuses.' }),
);
const basisMeanings = {
  actual: 'The cost so far this month.',
  forecast: 'The expected cost of the whole month.',
} as const;
export const bases = keysOf(basisMeanings);
export type Basis = keyof typeof basisMeanings;
export const BasisShape = Named(
  'BudgetBasis',
  OneOf(basisMeanings, { description: 'What is compared with the threshold.' }),
);
const statusMeanings = {
  ok: 'No threshold was reached this month.',
  warning: 'A threshold was reached this month, and the amount is not spent yet.',
  exceeded: 'The amount is spent, and new cost is still allowed.',
  blocking: 'The amount is spent, and calls that add cost are refused.',
} as const;
export const statuses = keysOf(statusMeanings);
export type Status = keyof typeof statusMeanings;
export const StatusShape = OneOf(statusMeanings, {
  ...volatile,
  description: 'How far the budget is used this month.',
  ...statesAllowing(Object.fromEntries(statuses.map((status) => [status, ['setBudget', 'deleteBudget']]))),
});

export interface Threshold {
  readonly percent: number;
  readonly basis: Basis;
}

/** `null` members do not restrict the scope; with three `null` members the budget covers the whole account. */
export interface Scope {
  readonly families: readonly string[] | null;
  readonly label_selector: string | null;
  /** All keys whose cost counts: those that the declaration names, the keys that they replaced and their replacements. */
  readonly api_key_ids: readonly string[] | null;
  /** The keys that the declaration names, as they are stored and shown. */
  readonly named_key_ids?: readonly string[] | null;
}

/** The scope as its declaration says, without the keys that count only because a key was rolled. */
export function declaredScope({ named_key_ids, ...scope }: Scope): Scope {
  return named_key_ids === undefined ? scope : { ...scope, api_key_ids: named_key_ids };
}

/** The members of a budget that a caller sets, with all defaults filled in. */
export interface Declaration {
  /** A decimal with two places: `100.00`. */
  readonly amount: string;
  readonly currency: string;
  readonly scope: Scope;
  readonly thresholds: readonly Threshold[];
  readonly action: Action;
  readonly blocks: Blocking;
  readonly emails: readonly string[];
  readonly description: string;
}

/** Costs of the current month within the scope of a budget, which cross its thresholds. */
export interface Costs {
  readonly spent: Micro;
  readonly forecast: Micro;
}

export interface Figures extends Costs {
  /** What runs or is being created, for a whole month, and what this month has cost otherwise. */
  readonly committed: Micro;
}

type Limits = Pick<Declaration, 'amount' | 'thresholds'>;

function reaches({ percent, basis }: Threshold, amount: Micro, { spent, forecast }: Costs): boolean {
  return (basis === 'actual' ? spent : forecast) * 100n >= amount * BigInt(percent);
}

export function isUsedUp({ amount }: Pick<Declaration, 'amount'>, { spent }: Pick<Costs, 'spent'>): boolean {
  return spent >= micro(amount);
}

/** Whether a blocking budget refuses a call. `committed` includes the call. Amounts are compared as they are shown. */
export function refuses(
  budget: Pick<Declaration, 'amount' | 'blocks'>,
  { spent, committed }: { readonly spent: Micro; readonly committed: Micro },
): boolean {
  return (
    isUsedUp(budget, { spent }) || (budget.blocks === 'forecast' && toCents(committed) > micro(budget.amount))
  );
}

/**
 * The whole amount is spent. This threshold is recorded for every budget, even if its declaration does not list
 * it.
 */
export const USED_UP: Threshold = { percent: 100, basis: 'actual' };

export const sameThreshold = (a: Threshold, b: Threshold): boolean =>
  a.percent === b.percent && a.basis === b.basis;

export function crossedBy({ amount, thresholds }: Limits, figures: Costs): Threshold[] {
  const watched = thresholds.some((threshold) => sameThreshold(threshold, USED_UP))
    ? thresholds
    : [...thresholds, USED_UP];
  return watched.filter((threshold) => reaches(threshold, micro(amount), figures));
}

/**
 * `recorded` contains the thresholds crossed earlier this month: a forecast that falls again does not remove
 * the warning.
 */
export function statusOf(
  budget: Limits & Pick<Declaration, 'action'>,
  figures: Costs,
  recorded: readonly Threshold[],
): Status {
  if (isUsedUp(budget, figures)) return budget.action === 'block_new_cost' ? 'blocking' : 'exceeded';
  return recorded.length > 0 || crossedBy(budget, figures).length > 0 ? 'warning' : 'ok';
}

/** Truncated to one decimal place, not rounded, so that 100 is shown only when the whole amount is spent. */
export function percentUsed({ amount }: Pick<Declaration, 'amount'>, { spent }: Costs): number {
  return Number((spent * 1000n) / micro(amount)) / 10;
}

/** The period of a budget is a calendar month in UTC, written as `2026-03`. */
export const periodOf = (at: Date): string => at.toISOString().slice(0, 7);
