import { forNow } from '../../../kernel/effect.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { applyChange, changeNothing, takeFirewall, takePart } from './change-call.ts';
import { requireEntries, unknownRemotes } from './checks.ts';
import { applyingExample, firewallExample, newRuleExample } from './example.ts';
import { applyFirewallKind } from './kinds.ts';
import { entriesOf, keyOf, storedRule } from './rules.ts';
import { Firewall, FirewallId, FirewallWithRule, NewRule, RuleId } from './schema.ts';
import { jsonOf } from './store.ts';
import type { StoredRule } from './table.ts';

const RULE = 'fwr_01jqzv2m7xe9rs5d3k8w4t6y0b';

const columnsOf = (rules: readonly StoredRule[]) => ({ rules: jsonOf(rules), entries: entriesOf(rules) });

export const addVpsFirewallRule = endpoint({
  id: 'addVpsFirewallRule',
  method: 'POST',
  path: '/flexible-vps/v1/firewalls/{id}/rules',
  summary: 'Add a rule to a firewall',
  description:
    'The answer is the firewall, and `rule_id` names the new rule. If the firewall already has a rule that does the same, nothing changes, and `rule_id` names that one.',
  permission: 'flexible-vps:firewalls:write',
  access: 'write',
  resource: { name: 'firewall', role: 'action' },
  params: FirewallId,
  body: NewRule,
  answers: { 202: FirewallWithRule },
  problems: ['quota_exceeded', 'invalid_state', 'operation_in_progress', 'operation_queue_full'],
  operation: applyFirewallKind,
  example: {
    params: { id: firewallExample.id },
    body: newRuleExample,
    answer: { status: 202, body: { ...applyingExample, rule_id: RULE } },
  },
  async handle(call) {
    const { params, body } = call;
    const before = await takeFirewall(call, params.id, 'addVpsFirewallRule');
    const { rule, faults } = storedRule(call, body);
    const unknown = await unknownRemotes(call, [rule], [body], () => '');
    if (faults.length + unknown.length > 0) throw invalid([...faults, ...unknown]);
    const same = before.rules.find((each) => keyOf(each) === keyOf(rule));
    if (same !== undefined) return accepted({ ...(await changeNothing(call, before)), rule_id: same.id });
    const rules = [...before.rules, rule];
    await requireRoomIn(call, 'flexible-vps.rules-per-firewall', before.id, { before: before.rules.length });
    const changes = [{ pointer: '/rules', before: before.rules, after: rules }];
    const shown = await applyChange(call, before, columnsOf(rules), { action: 'update', changes });
    await requireEntries(call, { firewallId: before.id }, '');
    return accepted({ ...shown, rule_id: rule.id });
  },
});

export const removeVpsFirewallRule = endpoint({
  id: 'removeVpsFirewallRule',
  method: 'DELETE',
  path: '/flexible-vps/v1/firewalls/{id}/rules/{rule_id}',
  summary: 'Remove a rule from a firewall',
  permission: 'flexible-vps:firewalls:write',
  access: 'write',
  resource: { name: 'firewall', role: 'action' },
  part: { name: 'firewall_rule', role: 'delete', member: 'rules', key: 'id' },
  params: RuleId,
  answers: { 202: Firewall },
  problems: ['invalid_state', 'operation_in_progress', 'operation_queue_full'],
  operation: applyFirewallKind,
  example: {
    params: { id: firewallExample.id, rule_id: RULE },
    answer: { status: 202, body: { ...applyingExample, rules: [] } },
  },
  async handle(call) {
    const { params } = call;
    const wanted = { id: params.id, partId: params.rule_id, endpointId: 'removeVpsFirewallRule' };
    const {
      row: before,
      part: gone,
      removal,
    } = await takePart(call, wanted, async ({ rules }) => rules.find(({ id }) => id === params.rule_id));
    if (gone === undefined) return accepted(await changeNothing(call, before, removal));
    const rules = before.rules.filter(({ id }) => id !== gone.id);
    const changes = [{ pointer: '/rules', before: before.rules, after: rules }];
    const loss = forNow(`The rule ${gone.id} of the firewall "${before.name}".`);
    const applied = { action: 'detach', changes, loss, partId: gone.id } as const;
    return accepted(await applyChange(call, before, columnsOf(rules), applied));
  },
});
