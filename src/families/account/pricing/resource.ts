import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import type { Resource } from '../../../kernel/registry.ts';
import { Shape, Time, Type } from '../../../kernel/schema.ts';

export const priceResource: Resource = {
  type: 'price',
  eventTypes: eventTypesOf('price', {
    change_announced: {
      when: 'Prices of resources of the account will change.',
      data: Shape({
        valid_from: { ...Time, description: 'When the new prices apply.' },
        skus: Type.Array(Type.String(), { description: 'The items of the price list that change.' }),
      }),
    },
  }),
};
