import type { EventType } from '../../kernel/events/event.ts';
import { Decimal, OneOf, Shape, Type } from '../../kernel/schema.ts';
import { actions, bases } from './budget.ts';

const figures = {
  period: Type.String({ description: 'The month: `2026-03`.' }),
  amount: Decimal,
  spent: Decimal,
  forecast: Decimal,
  currency: Type.String(),
};

const declared = Shape({ amount: Decimal, currency: Type.String(), action: OneOf(actions) });

export const budgetEventTypes: readonly EventType[] = [
  { type: 'budget.created', severity: 'info', when: 'A budget was declared.', data: declared },
  { type: 'budget.updated', severity: 'info', when: 'A budget was changed.', data: declared },
  { type: 'budget.deleted', severity: 'warning', when: 'A budget was removed.', data: declared },
  {
    type: 'budget.threshold_crossed',
    severity: 'warning',
    when: 'The actual cost or the forecast reached a threshold of a budget: once a month.',
    data: Shape({ ...figures, percent: Type.Integer(), basis: OneOf(bases) }),
  },
  {
    type: 'budget.exceeded',
    severity: 'error',
    when: 'A budget is used up.',
    data: Shape({ ...figures, action: OneOf(actions) }),
  },
  {
    type: 'budget.reset',
    severity: 'info',
    when: 'A budget that had reached a threshold has room again: a new month began, or it was raised.',
    data: Shape(figures),
  },
];
