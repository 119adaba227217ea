import type { Resource } from '../../../kernel/registry.ts';
import { budgetEventTypes } from '../../../money/budgets/event-types.ts';

/** Not an `Owned`: the API and the portal both write budgets through `writeBudget`, which writes row and events. */
export const budgetResource: Resource = { type: 'budget', eventTypes: budgetEventTypes };
