import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import type { Resource } from '../../../kernel/registry.ts';

/** Addresses of machines are parts of them. Events about them are shown to keys that may read the networking of machines. */
export const publicIpResource: Resource = {
  type: 'public_ip',
  permission: 'flexible-vps:vm-networking:read',
  path: '/flexible-vps/v1/vms/{parent_id}',
  eventTypes: eventTypesOf('public_ip', {
    attached: { when: 'A public address leads to a machine.' },
    detached: { when: 'A public address no longer leads to a machine.' },
  }),
};
