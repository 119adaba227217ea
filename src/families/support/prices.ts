/** The priced types of the family: opening a ticket is free. */
import { freeType } from '../../money/prices/free-type.ts';
import type { PricedTypes } from '../../money/prices/priced-type.ts';

export const supportPrices: PricedTypes = {
  ticket: freeType({ family: 'support', sku: 'free.ticket', name: 'Ticket', limit: 'support.open-tickets' }),
};
