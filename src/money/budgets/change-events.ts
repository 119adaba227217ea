import type { NewEvent } from '../../kernel/events/event.ts';
import type { Declaration } from './budget.ts';

type Declared = Pick<Declaration, 'amount' | 'currency' | 'action'> & {
  readonly id: string;
  readonly name: string;
};

/** What somebody did to the budget itself, beside what was spent of it. */
export function tellChange(happened: 'created' | 'updated' | 'deleted', budget: Declared): NewEvent {
  const { id, name, amount, currency, action } = budget;
  return {
    type: `budget.${happened}`,
    resource: { type: 'budget', id, name },
    message: `The budget ${name} was ${happened}.`,
    data: { amount, currency, action },
  };
}
