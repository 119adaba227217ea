import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import { idPrefix } from '../../../kernel/ids.ts';
import type { Resource } from '../../../kernel/registry.ts';

export const newInterfaceId = idPrefix('interface', 'nic');

/** Interfaces are parts of machines, so they are not in the inventory. */
export const interfaceResource: Resource = {
  type: 'interface',
  pricedAs: 'vm',
  eventTypes: eventTypesOf('interface', {
    attached: { when: 'A machine was connected to a private network.' },
    updated: { when: 'The addresses or settings of an interface were changed.' },
    detached: { when: 'A machine was disconnected from a private network.' },
  }),
};
