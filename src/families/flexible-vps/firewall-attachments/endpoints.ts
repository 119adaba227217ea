import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import {
  applyChange,
  changeNothing,
  takeFirewall,
  takePart,
  warnOfOpenMachines,
} from '../firewalls/change-call.ts';
import { requireCoverable } from '../firewalls/checks.ts';
import { applyingExample, firewallExample } from '../firewalls/example.ts';
import { applyFirewallKind } from '../firewalls/kinds.ts';
import { noteLocations, raiseVersions } from '../firewalls/members/store.ts';
import { targetOf } from '../firewalls/present.ts';
import { firewalls, newAttachmentId } from '../firewalls/resource.ts';
import { letsManage } from '../firewalls/rules.ts';
import {
  AttachmentId,
  Firewall,
  FirewallId,
  FirewallWithAttachment,
  NewAttachment,
} from '../firewalls/schema.ts';
import { attachmentsOf, deleteAttachment, insertAttachment } from '../firewalls/store.ts';
import type { FirewallRow } from '../firewalls/table.ts';
import { lockTarget } from './targets.ts';

const ATTACHMENT = 'fwa_01jqzv2m7xe9rs5d3k8w4t6y0b';

export function warnOfLostAccess({ warn }: Pick<Call, 'warn'>, row: FirewallRow, pointer: string): void {
  if (letsManage(row.default_in, row.rules)) return;
  warn({
    code: 'management_access_lost',
    detail: `No rule of ${row.name} lets connections to port 22 or 3389 in: you may not be able to sign in.`,
    pointer,
  });
}

export const attachVpsFirewall = endpoint({
  id: 'attachVpsFirewall',
  method: 'POST',
  path: '/flexible-vps/v1/firewalls/{id}/attachments',
  summary: 'Attach a firewall',
  description:
    'The answer is the firewall, and `attachment_id` names the new attachment. If the target already has one, nothing changes, and `attachment_id` names that one. Attachments by id and by labels are independent of each other. A location that cannot filter all interfaces of the target answers `capability_missing` with the reason.',
  permission: 'flexible-vps:firewalls:write',
  access: 'write',
  resource: { name: 'firewall', role: 'action' },
  changes: { attachments: '/target' },
  params: FirewallId,
  body: NewAttachment,
  answers: { 202: FirewallWithAttachment },
  problems: [
    'capability_missing',
    'quota_exceeded',
    'invalid_state',
    'operation_in_progress',
    'operation_queue_full',
  ],
  operation: applyFirewallKind,
  example: {
    params: { id: firewallExample.id },
    body: { target: { type: 'label_selector', selector: 'env=prod' } },
    answer: { status: 202, body: { ...applyingExample, attachment_id: ATTACHMENT } },
  },
  async handle(call) {
    const { db, caller, params, body } = call;
    await firewalls.get(call, params.id);
    const { columns, interface_vm } = await lockTarget(call, body.target);
    const before = await takeFirewall(call, params.id, 'attachVpsFirewall');
    const present = await attachmentsOf(db, before.id);
    const same = present.find(
      ({ vm_id, interface_id, network_id, selector }) =>
        (vm_id ?? interface_id ?? network_id ?? selector) ===
        (columns.vm_id ?? columns.interface_id ?? columns.network_id ?? columns.selector),
    );
    if (same !== undefined)
      return accepted({ ...(await changeNothing(call, before)), attachment_id: same.id });
    await requireRoomIn(call, 'flexible-vps.attachments-per-firewall', before.id, {
      before: present.length,
    });
    const id = newAttachmentId();
    await insertAttachment(db, { id, account_id: caller.account.id, firewall_id: before.id, ...columns });
    await requireCoverable(call, { firewallId: before.id }, '/target');
    await noteLocations(db, { firewallId: before.id });
    await raiseVersions(db, before.id);
    warnOfLostAccess(call, before, '/target');
    const changes = [
      {
        pointer: '/attachments',
        before: present.map(targetOf),
        after: [...present, { ...columns, interface_vm }].map(targetOf),
      },
    ];
    const shown = await applyChange(call, before, {}, { action: 'attach', changes });
    return accepted({ ...shown, attachment_id: id });
  },
});

export const detachVpsFirewall = endpoint({
  id: 'detachVpsFirewall',
  method: 'DELETE',
  path: '/flexible-vps/v1/firewalls/{id}/attachments/{attachment_id}',
  summary: 'Remove an attachment of a firewall',
  description:
    'Machines that have the firewall by another attachment keep it. A machine without any firewall accepts all connections.',
  permission: 'flexible-vps:firewalls:write',
  access: 'write',
  resource: { name: 'firewall', role: 'action' },
  part: { name: 'firewall_attachment', role: 'delete', member: 'attachments', key: 'id' },
  params: AttachmentId,
  answers: { 202: Firewall },
  problems: ['invalid_state', 'operation_in_progress', 'operation_queue_full'],
  operation: applyFirewallKind,
  example: {
    params: { id: firewallExample.id, attachment_id: ATTACHMENT },
    answer: { status: 202, body: { ...applyingExample, attachments: [], vm_count: 0 } },
  },
  async handle(call) {
    const { db, params } = call;
    const wanted = { id: params.id, partId: params.attachment_id, endpointId: 'detachVpsFirewall' };
    const {
      row: before,
      part: gone,
      removal,
    } = await takePart(call, wanted, async (row) =>
      (await attachmentsOf(db, row.id)).find(({ id }) => id === params.attachment_id),
    );
    if (gone === undefined) return accepted(await changeNothing(call, before, removal));
    const present = await attachmentsOf(db, before.id);
    await raiseVersions(db, before.id);
    await warnOfOpenMachines(call, before.id, gone.id);
    await deleteAttachment(db, before.id, gone.id);
    const left = present.filter(({ id }) => id !== gone.id);
    const changes = [{ pointer: '/attachments', before: present.map(targetOf), after: left.map(targetOf) }];
    const loss = forNow(`The protection by the firewall "${before.name}".`);
    const applied = { action: 'detach', changes, loss, partId: gone.id } as const;
    return accepted(await applyChange(call, before, {}, applied));
  },
});
