import { idPrefix } from '../../../kernel/ids.ts';
import { Owned } from '../../../resources/owned/owned.ts';

export const newRuleId = idPrefix('firewall_rule', 'fwr');
export const newAttachmentId = idPrefix('firewall_attachment', 'fwa');

export const firewalls = new Owned({
  type: 'firewall',
  idPrefix: 'fw',
  table: 'firewalls',
  permission: 'flexible-vps:firewalls:read',
  path: '/flexible-vps/v1/firewalls/{id}',
  limit: 'flexible-vps.firewalls',
  loses: 'The firewall with its rules.',
  events: {
    created: { when: 'A firewall was created.' },
    updated: { when: 'The name, labels or description of a firewall was changed.', says: 'was changed' },
    applied: {
      when: 'A change of a firewall is in force for all its machines.',
      says: 'is in force for all its machines',
    },
    failed: {
      severity: 'error',
      when: 'A change of a firewall could not be applied. The previous rules are in force.',
      says: 'could not be applied; the previous rules are in force',
    },
    deleted: { when: 'A firewall was deleted.', says: 'was deleted' },
  },
  inventory: ({ status }) => ({ status }),
});
