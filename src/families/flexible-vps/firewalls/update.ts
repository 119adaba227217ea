import { changesBetween } from '../../../kernel/audit/changes.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { applyChange, changeNothing, showFirewall, takeFirewall } from './change-call.ts';
import { requireEntries, unknownRemotes } from './checks.ts';
import { applyingExample, firewallExample, newRuleExample } from './example.ts';
import { applyFirewallKind } from './kinds.ts';
import { firewalls } from './resource.ts';
import { entriesOf, storedRules } from './rules.ts';
import { Firewall, FirewallChange, FirewallId } from './schema.ts';
import { jsonOf } from './store.ts';
import type { FirewallRow } from './table.ts';

/** The members that only the control plane stores; the engine does not get them. */
const keptOf = ({ name, labels, description }: FirewallRow) => ({ name, labels, description });
const settingsOf = ({
  default_in,
  default_out,
  rules,
}: Pick<FirewallRow, 'default_in' | 'default_out' | 'rules'>) => ({
  default_in,
  default_out,
  rules,
});

export const updateVpsFirewall = endpoint({
  id: 'updateVpsFirewall',
  method: 'PATCH',
  path: '/flexible-vps/v1/firewalls/{id}',
  summary: 'Change a firewall',
  description:
    'Name, labels and description change at once. Defaults and rules come into force together, for all machines; until then the previous ones are in force. `rules` replaces the whole list. A change while another is being applied waits for its turn.',
  permission: 'flexible-vps:firewalls:write',
  access: 'write',
  resource: { name: 'firewall', role: 'update' },
  params: FirewallId,
  body: FirewallChange,
  answers: { 202: Firewall },
  problems: [
    'name_taken',
    'quota_exceeded',
    'invalid_state',
    'operation_in_progress',
    'operation_queue_full',
  ],
  operation: applyFirewallKind,
  example: {
    params: { id: firewallExample.id },
    body: { default_out: 'drop', rules: [newRuleExample] },
    answer: { status: 202, body: applyingExample },
  },
  async handle(call) {
    const { db, params, body } = call;
    if (body.name !== undefined) await firewalls.lockNames(call);
    const before = await takeFirewall(call, params.id, 'updateVpsFirewall', true);
    const wanted = body.rules ?? null;
    const { rules, faults } =
      wanted === null
        ? { rules: before.rules, faults: [] }
        : storedRules(call, wanted, before.rules, '/rules');
    const unknown = wanted === null ? [] : await unknownRemotes(call, rules, wanted, (i) => `/rules/${i}`);
    if (faults.length + unknown.length > 0) throw invalid([...faults, ...unknown]);
    const kept = {
      name: body.name ?? before.name,
      labels: mergeLabels(before.labels, body.labels),
      description: body.description ?? before.description,
    };
    const settings = {
      default_in: body.default_in ?? before.default_in,
      default_out: body.default_out ?? before.default_out,
      rules,
    };
    if (kept.name !== before.name) await firewalls.requireFreeName(call, kept.name);
    await requireRoomIn(call, 'flexible-vps.rules-per-firewall', before.id, {
      before: before.rules.length,
      after: rules.length,
    });
    const keptChanges = changesBetween(keptOf(before), kept);
    const settingChanges = changesBetween(settingsOf(before), settings);
    const changes = [...keptChanges, ...settingChanges];
    const ref = firewalls.ref(before);
    if (keptChanges.length > 0) call.event(firewalls.event('updated', { ...before, name: kept.name }));
    if (settingChanges.length > 0) {
      const change = { ...kept, ...settings, rules: jsonOf(rules), entries: entriesOf(rules) };
      const shown = await applyChange(call, before, change, { action: 'update', changes });
      await requireEntries(call, { firewallId: before.id }, '/rules');
      return accepted(shown);
    }
    if (changes.length === 0) return accepted(await changeNothing(call, before));
    const row = await firewalls.change(db, before.id, kept);
    call.effect({ action: 'update', ...ref, changes });
    const operation = await call.start({
      kind: applyFirewallKind,
      input: {},
      resource: firewalls.ref(row ?? before),
      changedAtOnce: true,
    });
    return accepted(await showFirewall(call, before.id, operation));
  },
});
