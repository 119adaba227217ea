import type { EventType } from '../../kernel/events/event.ts';
import { Currency, Named, Shape, Type } from '../../kernel/schema.ts';
import { BudgetAmount, perMonth, SpentSoFar } from '../prices/members.ts';
import { ActionShape, BasisShape } from './budget.ts';

const figures = {
  period: Type.String({ description: 'The month: `2026-03`.' }),
  amount: BudgetAmount,
  spent: SpentSoFar,
  forecast: perMonth('The expected cost of the whole month.'),
  currency: Currency,
};

const declared = Named(
  'BudgetDetails',
  Shape({ amount: BudgetAmount, currency: Currency, action: ActionShape }, { description: 'Its details.' }),
);

export const budgetEventTypes: readonly EventType[] = [
  { type: 'budget.created', severity: 'info', when: 'A budget was declared.', data: declared },
  { type: 'budget.updated', severity: 'info', when: 'A budget was changed.', data: declared },
  { type: 'budget.deleted', severity: 'warning', when: 'A budget was removed.', data: declared },
  {
    type: 'budget.threshold_crossed',
    severity: 'warning',
    when: 'The actual cost or the forecast reached a threshold of a budget: once a month.',
    data: Shape({
      ...figures,
      percent: Type.Integer({ 'x-unit': 'percent', description: 'The threshold that was reached.' }),
      basis: BasisShape,
    }),
  },
  {
    type: 'budget.exceeded',
    severity: 'error',
    when: 'A budget is used up.',
    data: Shape({ ...figures, action: ActionShape }),
  },
  {
    type: 'budget.reset',
    severity: 'info',
    when: 'A budget that had reached a threshold has room again: a new month began, or it was raised.',
    data: Shape(figures),
  },
];
