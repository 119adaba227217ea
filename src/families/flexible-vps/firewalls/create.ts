import { invalid } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { unknownRemotes } from './checks.ts';
import { newFirewallExample } from './example.ts';
import { firewallView } from './present.ts';
import { firewalls } from './resource.ts';
import { entriesOf, storedRules } from './rules.ts';
import { NewFirewall } from './schema.ts';
import { jsonOf } from './store.ts';

export const createVpsFirewall = writeOf(firewallView, 'create', {
  id: 'createVpsFirewall',
  description:
    'The firewall applies to nothing until you attach it, here or with `firewall_ids` of a new machine. It is stateful: answers to allowed connections always pass. Rules have no order: a rule that drops wins over one that allows, and both win over the defaults. Several firewalls of one interface add up; their default is `drop` if one of them says so.',
  body: NewFirewall,
  problems: ['name_taken', 'quota_exceeded'],
  example: { body: newFirewallExample, answer: { attachments: [], vm_count: 0, applied_at: null } },
  async handle(call) {
    const { body } = call;
    const wanted = body.rules ?? [];
    const { rules, faults } = storedRules(call, wanted, [], '/rules');
    const unknown = await unknownRemotes(call, rules, wanted, (i) => `/rules/${i}`);
    if (faults.length + unknown.length > 0) throw invalid([...faults, ...unknown]);
    await firewalls.requireFree(call, body.name);
    const row = await firewalls.create(
      call,
      {
        name: body.name,
        labels: body.labels ?? {},
        description: body.description ?? '',
        default_in: body.default_in ?? 'drop',
        default_out: body.default_out ?? 'allow',
        rules: jsonOf(rules),
        entries: entriesOf(rules),
        status: 'active',
        status_reason: null,
        applied_at: null,
      },
      ['default_in', 'default_out', 'rules'],
    );
    await requireRoomIn(call, 'flexible-vps.rules-per-firewall', row.id, {
      before: 0,
      after: rules.length,
    });
    return { row: { ...row, attached: [], vm_count: 0 } };
  },
});
