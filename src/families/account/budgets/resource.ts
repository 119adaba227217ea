import type { Resource } from '../../../kernel/registry.ts';
import { budgetEventTypes } from '../../../money/budgets/event-types.ts';

/** Keys and people declare budgets through `writeBudget`, which keeps row, changes and events of both in step. */
export const budgetResource: Resource = { type: 'budget', eventTypes: budgetEventTypes };
