import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import type { Resource } from '../../../kernel/registry.ts';

/** Public addresses are parts of machines. Keys that may read the networking of machines see their events. */
export const publicIpResource: Resource = {
  type: 'public_ip',
  permission: 'flexible-vps:vm-networking:read',
  path: '/flexible-vps/v1/vms/{parent_id}',
  pricedAs: 'vm',
  eventTypes: eventTypesOf('public_ip', {
    attached: { when: 'A public address was attached to a machine.' },
    detached: { when: 'A public address was detached from a machine.' },
  }),
};
