/** What somebody means to spend in a month at most, and what is to happen on the way there. */

import type { Micro } from '../../kernel/micro.ts';
import { micro } from '../../kernel/micro.ts';

export const actions = ['notify', 'block_new_cost'] as const;
export type Action = (typeof actions)[number];
export const bases = ['actual', 'forecast'] as const;
export type Basis = (typeof bases)[number];
export const statuses = ['ok', 'warning', 'exceeded', 'blocking'] as const;
export type Status = (typeof statuses)[number];

export interface Threshold {
  readonly percent: number;
  readonly basis: Basis;
}

/** `null` wherever it does not narrow: all three are the whole account. */
export interface Scope {
  readonly families: readonly string[] | null;
  readonly label_selector: string | null;
  readonly api_key_ids: readonly string[] | null;
}

/** All that a caller says of a budget, with every default filled in. */
export interface Declaration {
  /** With two digits: `100.00`. */
  readonly amount: string;
  readonly currency: string;
  readonly scope: Scope;
  readonly thresholds: readonly Threshold[];
  readonly action: Action;
  readonly emails: readonly string[];
  readonly description: string;
}

/** Of the present month, for what the scope covers. */
export interface Figures {
  readonly spent: Micro;
  readonly forecast: Micro;
}

type Limits = Pick<Declaration, 'amount' | 'thresholds'>;

function reaches({ percent, basis }: Threshold, amount: Micro, { spent, forecast }: Figures): boolean {
  return (basis === 'actual' ? spent : forecast) * 100n >= amount * BigInt(percent);
}

export function isUsedUp(
  { amount }: Pick<Declaration, 'amount'>,
  { spent }: Pick<Figures, 'spent'>,
): boolean {
  return spent >= micro(amount);
}

/** All of it, spent: the end of every budget, whether or not somebody made a threshold of it. */
export const USED_UP: Threshold = { percent: 100, basis: 'actual' };

export const sameThreshold = (a: Threshold, b: Threshold): boolean =>
  a.percent === b.percent && a.basis === b.basis;

export function crossedBy({ amount, thresholds }: Limits, figures: Figures): Threshold[] {
  const watched = thresholds.some((threshold) => sameThreshold(threshold, USED_UP))
    ? thresholds
    : [...thresholds, USED_UP];
  return watched.filter((threshold) => reaches(threshold, micro(amount), figures));
}

/** A forecast that fell again does not take its warning back: `recorded` is what was crossed before in this month. */
export function statusOf(
  budget: Limits & Pick<Declaration, 'action'>,
  figures: Figures,
  recorded: readonly Threshold[],
): Status {
  if (isUsedUp(budget, figures)) return budget.action === 'block_new_cost' ? 'blocking' : 'exceeded';
  return recorded.length > 0 || crossedBy(budget, figures).length > 0 ? 'warning' : 'ok';
}

/** Cut, not rounded, to one digit: 100 is shown when all is spent, never before. */
export function percentUsed({ amount }: Pick<Declaration, 'amount'>, { spent }: Figures): number {
  return Number((spent * 1000n) / micro(amount)) / 10;
}

/** `2026-03`: budgets count by the month, in UTC as all times of the API. */
export const periodOf = (at: Date): string => at.toISOString().slice(0, 7);
