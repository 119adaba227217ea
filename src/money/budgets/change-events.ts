import type { NewEvent } from '../../kernel/events/event.ts';
import type { Declaration } from './budget.ts';

type Declared = Pick<Declaration, 'amount' | 'currency' | 'action'> & {
  readonly id: string;
  readonly name: string;
};

/** Builds the event for a change of the budget itself. Events about its costs are in `threshold-events.ts`. */
export function tellChange(happened: 'created' | 'updated' | 'deleted', budget: Declared): NewEvent {
  const { id, name, amount, currency, action } = budget;
  return {
    type: `budget.${happened}`,
    resource: { type: 'budget', id, name },
    message: `The budget ${name} was ${happened}.`,
    data: { amount, currency, action },
  };
}
