import { forGood } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { readShown, warnOfOpenMachines } from './change-call.ts';
import { deleteFirewallKind } from './kinds.ts';
import { firewallLife } from './lifecycle.ts';
import { firewallView } from './present.ts';
import { firewalls } from './resource.ts';
import { type AttachmentUser, attachmentsOf, firewallsNaming } from './store.ts';

const userOf = ({ vm_id, interface_id, network_id, id, vm_name, selector }: AttachmentUser) => {
  const type =
    vm_id !== null
      ? 'vm'
      : interface_id !== null
        ? 'interface'
        : network_id !== null
          ? 'network'
          : 'firewall_attachment';
  return { type, id: vm_id ?? interface_id ?? network_id ?? id, name: vm_name ?? selector ?? '' };
};

export const deleteVpsFirewall = writeOf(firewallView, 'delete', {
  id: 'deleteVpsFirewall',
  description:
    'The operation waits for machines and networks that are being deleted. If the firewall is attached to others, the call is refused, unless `detach=true` removes its attachments. It is also refused while a rule of another firewall names it.',
  query: Shape({
    detach: Type.Boolean({
      default: false,
      description: 'Whether its attachments are removed with the firewall.',
    }),
  }),
  problems: ['resource_in_use', 'invalid_state', 'operation_in_progress', 'operation_queue_full'],
  kind: deleteFirewallKind,
  async handle(call) {
    const { db, params, query, effect, follow, start } = call;
    const before = await firewalls.take(call, params.id);
    const ref = firewalls.ref(before);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    // A second deletion follows the pending one.
    if (before.status === 'deleting' && pending !== undefined) {
      effect({ action: 'none', ...ref });
      follow(pending);
      return { row: await readShown(call, before.id), operation: pending };
    }
    firewallLife.require('deleteVpsFirewall', before.status, { operation: pending });
    const naming = await firewallsNaming(db, before);
    refuseUsed(
      naming.map((each) => firewalls.ref(each)),
      {
        detail: 'Rules of other firewalls name this firewall.',
        nextStep: 'Remove the rules of the firewalls in used_by that name it in remote_firewall_ids first.',
      },
    );
    const staying = (await attachmentsOf(db, before.id)).filter(({ is_leaving }) => !is_leaving);
    if (!query.detach)
      refuseUsed(staying.map(userOf), {
        detail: 'The firewall is attached.',
        nextStep:
          'Remove its attachments with DELETE /flexible-vps/v1/firewalls/{id}/attachments/{attachment_id}, or add ?detach=true to remove them with the firewall.',
      });
    if (staying.length > 0) await warnOfOpenMachines(call, before.id);
    effect({ action: 'delete', ...ref, loss: forGood('The firewall with its rules.') });
    await firewalls.change(db, before.id, { status: 'deleting' });
    const operation = await start({
      kind: deleteFirewallKind,
      input: { detach: query.detach, was: before.status },
      resource: ref,
    });
    return { row: await readShown(call, before.id), operation };
  },
});
