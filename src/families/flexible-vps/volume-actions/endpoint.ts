import { Confirm } from '../../../kernel/confirmation.ts';
import { exampleOperation } from '../../../kernel/operations/example.ts';
import { OperationView, presentOperation } from '../../../kernel/operations/schema.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { label, Named, OneOf, Shape, type Static, Type, when } from '../../../kernel/schema.ts';
import { VolumeSnapshotOf, VolumeVmRef } from '../references.ts';
import { attachVolumeKind } from '../volumes/attach-kinds.ts';
import { attach, detach } from '../volumes/attachment.ts';
import { exampleVolume } from '../volumes/present.ts';
import { SizeGb, VolumeId } from '../volumes/schema.ts';
import { resize } from './growth.ts';
import { restore } from './restoration.ts';

const actions = {
  attach: 'Attaches the volume to a machine.',
  detach: 'Detaches the volume from its machine.',
  resize: 'Makes the volume larger.',
  restore: 'Puts the content back to a snapshot of the volume.',
} as const;

const Action = Shape({
  type: Named('VolumeAction', OneOf(actions, { description: 'What to do with the volume.' })),
  vm_id: Type.Optional({
    ...VolumeVmRef,
    ...when('type', 'attach'),
    ...label('Machine'),
    description:
      'A machine in the location of the volume. Required with `attach`, and refused with other actions.',
  }),
  move: Type.Optional(
    Type.Boolean({
      ...when('type', 'attach'),
      description: 'Whether the volume is taken from the machine that has it. Without it: no.',
    }),
  ),
  force: Type.Optional(
    Type.Boolean({
      ...when('type', 'detach'),
      description:
        'Whether the volume is detached even if the guest uses it. What it has not written is lost. Without it: no.',
    }),
  ),
  size_gb: Type.Optional({
    ...SizeGb,
    ...when('type', 'resize'),
    description: 'The new size, which cannot be smaller. Required with `resize`.',
  }),
  snapshot_id: Type.Optional({
    ...VolumeSnapshotOf('path/id'),
    ...when('type', 'restore'),
    ...label('Snapshot'),
    description: 'A snapshot of the volume. Required with `restore`.',
  }),
  delete_newer_snapshots: Type.Optional(
    Type.Boolean({
      ...when('type', 'restore'),
      description: 'Whether newer snapshots may be deleted. Without it: no.',
    }),
  ),
  confirm: Confirm(
    'The current name of the volume, to confirm that its content is overwritten. Required with `restore`.',
    when('type', 'restore'),
  ),
});
export type Action = Static<typeof Action>;

/** The action that each member belongs to, as its mark says. */
const actionOf = new Map(
  Object.entries(Action.properties as Readonly<Record<string, Partial<ReturnType<typeof when>>>>).flatMap(
    ([name, { 'x-when': mark }]) => (mark === undefined ? [] : [[name, mark.is[0]] as const]),
  ),
);
const required = { attach: 'vm_id', resize: 'size_gb', restore: 'snapshot_id' } as const;

function missingMember(body: Readonly<Record<string, unknown>>): FieldError[] {
  const name = required[body['type'] as keyof typeof required];
  if (name === undefined || body[name] !== undefined) return [];
  return [{ pointer: `/${name}`, code: 'required', detail: `The action ${body['type']} needs ${name}.` }];
}

/** Refuses members of other actions: the caller may mean another action. */
function strangersIn(body: Action): FieldError[] {
  return Object.keys(body).flatMap((name) => {
    const user = actionOf.get(name) ?? body.type;
    const detail = `Only the action ${user} has this member.`;
    return user === body.type ? [] : [{ pointer: `/${name}`, code: 'incompatible' as const, detail }];
  });
}

export const performVpsVolumeAction = endpoint({
  id: 'performVpsVolumeAction',
  method: 'POST',
  path: '/flexible-vps/v1/volumes/{id}/actions',
  summary: 'Attach, detach, grow or restore a volume',
  description:
    'The operation waits for earlier operations on the machine; with `move` on both machines. A volume that already is as wanted changes nothing. Machines may be running, except for `restore`, and for `resize` if `online_resize` is false. If a guest refuses to let go of a volume, the operation fails with `guest_refused_detach`; repeat it with `force`.',
  permission: 'flexible-vps:volumes:write',
  access: 'write',
  raisesCost: 'sometimes',
  resource: { name: 'volume', role: 'action' },
  changes: { vm_id: '/vm_id', size_gb: '/size_gb' },
  params: VolumeId,
  body: Action,
  missing: missingMember,
  answers: { 202: OperationView },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'resource_suspended',
    'already_attached',
    'quota_exceeded',
    'vm_not_stopped',
    'newer_snapshots_exist',
    'resource_in_use',
  ],
  operation: attachVolumeKind,
  example: {
    params: { id: exampleVolume.id },
    body: { type: 'attach', vm_id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b' },
    answer: { status: 202, body: exampleOperation(attachVolumeKind, exampleVolume) },
  },
  async handle(call) {
    const { body, services } = call;
    const faults = [...missingMember(body), ...strangersIn(body)];
    if (faults.length > 0) throw invalid(faults);
    const perform = { attach, detach, resize, restore }[body.type];
    return accepted(presentOperation(await perform(call), services.baseUrl));
  },
});
