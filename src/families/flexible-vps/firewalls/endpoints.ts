import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { List } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { VmRef } from '../references.ts';
import { createVpsFirewall } from './create.ts';
import { deleteVpsFirewall } from './delete-endpoint.ts';
import { firewallExample } from './example.ts';
import { firewallLife } from './lifecycle.ts';
import { presentFirewall } from './present.ts';
import { addVpsFirewallRule, removeVpsFirewallRule } from './rule-endpoints.ts';
import { Firewall, FirewallId } from './schema.ts';
import { findFirewall, listFirewalls } from './store.ts';
import { updateVpsFirewall } from './update.ts';

const listVpsFirewalls = endpoint({
  id: 'listVpsFirewalls',
  method: 'GET',
  path: '/flexible-vps/v1/firewalls',
  summary: 'List firewalls',
  permission: 'flexible-vps:firewalls:read',
  access: 'read',
  resource: { name: 'firewall', role: 'list' },
  query: ResourceQuery({
    status: Type.Optional({ ...firewallLife.Status, description: 'Only firewalls in this state.' }),
    vm_id: Type.Optional({ ...VmRef, description: 'Only firewalls that apply to this machine.' }),
  }),
  answers: { 200: List(Firewall) },
  problems: [],
  example: { answer: { status: 200, body: { data: [firewallExample], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await listFirewalls(call, call.query);
    return ok({
      data: rows.map(({ row, operation }) => presentFirewall(call, row, operation)),
      next_cursor: nextCursor,
    });
  },
});

const getVpsFirewall = endpoint({
  id: 'getVpsFirewall',
  method: 'GET',
  path: '/flexible-vps/v1/firewalls/{id}',
  summary: 'Get a firewall with its rules',
  permission: 'flexible-vps:firewalls:read',
  access: 'read',
  resource: { name: 'firewall', role: 'read' },
  params: FirewallId,
  answers: { 200: Firewall },
  problems: [],
  example: { params: { id: firewallExample.id }, answer: { status: 200, body: firewallExample } },
  async handle(call) {
    const found = await findFirewall(call.db, call.caller.account.id, call.params.id);
    if (found === undefined) throw new Problem('not_found');
    return ok(presentFirewall(call, found.row, found.operation));
  },
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
