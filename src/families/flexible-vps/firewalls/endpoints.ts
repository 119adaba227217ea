import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { VmRef } from '../references.ts';
import { createVpsFirewall } from './create.ts';
import { deleteVpsFirewall } from './delete-endpoint.ts';
import { firewallLife } from './lifecycle.ts';
import { firewallView } from './present.ts';
import { addVpsFirewallRule, removeVpsFirewallRule } from './rule-endpoints.ts';
import { appliesTo } from './store.ts';
import { updateVpsFirewall } from './update.ts';

const listVpsFirewalls = listOf(firewallView, {
  id: 'listVpsFirewalls',
  query: ResourceQuery({
    status: Type.Optional({ ...firewallLife.Status, description: 'Only firewalls in this state.' }),
    vm_id: Type.Optional({ ...VmRef, description: 'Only firewalls that apply to this machine.' }),
  }),
  where: ({ query: { status } }) => ({ status }),
  also: ({ vm_id }, accountId) => (vm_id === undefined ? [] : [appliesTo(accountId, vm_id)]),
});

const getVpsFirewall = readOf(firewallView, {
  id: 'getVpsFirewall',
  summary: 'Get a firewall with its rules',
});

export const firewallEndpoints = [
  listVpsFirewalls,
  createVpsFirewall,
  getVpsFirewall,
  updateVpsFirewall,
  deleteVpsFirewall,
  addVpsFirewallRule,
  removeVpsFirewallRule,
];
