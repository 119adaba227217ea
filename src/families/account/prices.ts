/** The priced types of the family: an account pays for neither webhooks nor budgets. */
import { freeType } from '../../money/prices/free-type.ts';
import type { PricedTypes } from '../../money/prices/priced-type.ts';

export const accountPrices: PricedTypes = {
  webhook: freeType({ family: 'account', sku: 'free.webhook', name: 'Webhook', limit: 'account.webhooks' }),
  budget: freeType({ family: 'account', sku: 'free.budget', name: 'Budget', limit: 'account.budgets' }),
};
