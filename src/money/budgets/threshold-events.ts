/**
 * Builds the events about the costs of a budget: a threshold crossed (once a month each), the budget used up,
 * and its reset.
 */
import type { NewEvent } from '../../kernel/events/event.ts';
import { formatMoney } from '../prices/format.ts';
import { type Figures, sameThreshold, type Threshold, USED_UP } from './budget.ts';
import type { BudgetRow } from './store.ts';

type Told = Pick<BudgetRow, 'id' | 'name' | 'amount' | 'currency' | 'action' | 'thresholds'>;

const refOf = ({ id, name }: Told) => ({ type: 'budget', id, name });

const dataOf = ({ amount, currency }: Told, period: string, { spent, forecast }: Figures) => ({
  period,
  amount,
  spent: formatMoney(spent),
  forecast: formatMoney(forecast),
  currency,
});

function tellThreshold(
  budget: Told,
  period: string,
  figures: Figures,
  { percent, basis }: Threshold,
): NewEvent {
  const data = { ...dataOf(budget, period, figures), percent, basis };
  const reached =
    basis === 'actual'
      ? `${data.spent} ${data.currency} were spent`
      : `the month is going to cost ${data.forecast} ${data.currency}`;
  return {
    type: 'budget.threshold_crossed',
    resource: refOf(budget),
    message: `Budget ${budget.name} reached ${percent} % of ${data.amount} ${data.currency}: ${reached}.`,
    data,
  };
}

function tellEnd(budget: Told, period: string, figures: Figures): NewEvent {
  const { action } = budget;
  const data = { ...dataOf(budget, period, figures), action };
  const effect = action === 'block_new_cost' ? 'Calls that add cost are refused' : 'Nothing is refused';
  return {
    type: 'budget.exceeded',
    resource: refOf(budget),
    message: `Budget ${budget.name} is used up: ${data.spent} of ${data.amount} ${data.currency} were spent. ${effect}.`,
    data,
  };
}

/** One event for each crossed threshold of the declaration, and one if the budget is used up. */
export function tellCrossings(
  budget: Told,
  period: string,
  figures: Figures,
  crossed: readonly Threshold[],
): NewEvent[] {
  const set = crossed.filter((threshold) => budget.thresholds.some((own) => sameThreshold(own, threshold)));
  const isUsedUp = crossed.some((threshold) => sameThreshold(threshold, USED_UP));
  return [
    ...set.map((threshold) => tellThreshold(budget, period, figures, threshold)),
    ...(isUsedUp ? [tellEnd(budget, period, figures)] : []),
  ];
}

export function tellReset(budget: Told, period: string, figures: Figures): NewEvent {
  const data = dataOf(budget, period, figures);
  return {
    type: 'budget.reset',
    resource: refOf(budget),
    message: `Budget ${budget.name} has room again: ${data.spent} of ${data.amount} ${data.currency} are spent.`,
    data,
  };
}
