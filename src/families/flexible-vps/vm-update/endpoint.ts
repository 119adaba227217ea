import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import { newId } from '../../../kernel/ids.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { during } from '../../../kernel/operations/example.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Instruction, Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  LabelsPatch,
  NewDescription,
  Nullable,
  ResourceName,
  Shape,
  type Static,
  Type,
} from '../../../kernel/schema.ts';
import { planBackupsOf } from '../backup-policies/future/future.ts';
import { requireBackupPolicy } from '../backup-policies/references.ts';
import { followLabels } from '../firewalls/machine-firewalls.ts';
import { requirePlacementGroup } from '../placement-groups/references.ts';
import { BackupPolicyRef, VmPlacementGroupRef } from '../references.ts';
import { acceptResize, isUnderWay, requireResizable } from '../resize/acceptance.ts';
import { namesSize, resizeIn, sizeMembers } from '../resize/by-update.ts';
import { askCapacity } from '../resize/capacity.ts';
import { resizeVmKind } from '../resize/kind.ts';
import { targetOf } from '../resize/target.ts';
import { NewProtection, UserData, UserDataEncoding } from '../vm-creation/body.ts';
import { showVm } from '../vm-reading/present.ts';
import { hashOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import type { VmRow } from '../vms/table.ts';
import { readUserData, warnIfIgnored } from '../vms/user-data.ts';

const UpdateVm = Shape({
  name: Type.Optional(ResourceName),
  description: Type.Optional(Resettable(NewDescription)),
  labels: Type.Optional(LabelsPatch),
  ...sizeMembers,
  protection: Type.Optional(
    Resettable(
      Shape(
        {
          delete: Type.Optional(Resettable(NewProtection.delete)),
          redeploy: Type.Optional(Resettable(NewProtection.redeploy)),
        },
        { description: 'What is refused. Members you leave out stay unchanged.' },
      ),
    ),
  ),
  backup_policy_id: Type.Optional(
    Nullable({
      ...BackupPolicyRef,
      description: 'The policy that backs the machine up from its next window on, or null for none.',
    }),
  ),
  placement_group_id: Type.Optional(
    Nullable({
      ...VmPlacementGroupRef,
      description: 'The new placement group, or null to leave it. The machine has to be stopped.',
    }),
  ),
  user_data: Type.Optional(
    Nullable({
      ...UserData,
      description:
        'The user data to store, at most 65536 bytes after decoding, or null to remove it. Never shown again.',
    }),
  ),
  user_data_encoding: Type.Optional(Resettable(UserDataEncoding)),
  apply_user_data_on_next_boot: Type.Optional(
    Instruction({
      ...Type.Boolean(),
      default: false,
      ...advanced,
      description: 'Give the guest a new instance id at the next boot, so that cloud-init runs again.',
    }),
  ),
});
type UpdateVm = Static<typeof UpdateVm>;

type Change = Partial<
  Pick<
    VmRow,
    | 'name'
    | 'description'
    | 'labels'
    | 'protected_delete'
    | 'protected_redeploy'
    | 'placement_group_id'
    | 'backup_policy_id'
    | 'user_data'
    | 'user_data_sha256'
    | 'seed'
  >
>;

function changeOf(before: VmRow, body: UpdateVm): Change {
  const { name, description, labels, protection, placement_group_id, backup_policy_id, user_data } = body;
  const data =
    user_data === undefined || user_data === null ? null : readUserData(user_data, body.user_data_encoding);
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(labels === undefined ? {} : { labels: mergeLabels(before.labels, labels) }),
    ...(protection?.delete === undefined ? {} : { protected_delete: protection.delete }),
    ...(protection?.redeploy === undefined ? {} : { protected_redeploy: protection.redeploy }),
    ...(placement_group_id === undefined ? {} : { placement_group_id }),
    ...(backup_policy_id === undefined ? {} : { backup_policy_id }),
    ...(user_data === undefined ? {} : { user_data: data, user_data_sha256: hashOf(data) }),
    ...(body.apply_user_data_on_next_boot ? { seed: newId('request') } : {}),
  };
}

/** Audit entries show only the hash of user data. They do not show the seed, which only the engine reads. */
function changesOf(before: VmRow, { user_data: _, seed, ...shown }: Change): AuditChange[] {
  const again = { pointer: '/apply_user_data_on_next_boot', before: false, after: true };
  return [...changesBetween<VmRow>(before, shown), ...(seed === undefined ? [] : [again])];
}

export const updateVm = endpoint({
  id: 'updateVm',
  method: 'PATCH',
  path: '/flexible-vps/v1/vms/{id}',
  summary: 'Change a machine',
  description:
    'Changes the name, description, labels, protection, backup policy, placement group, stored user data or size. Another `plan`, `custom_size` or `disk_gb` is applied as by `resizeVm` with its defaults: a running machine is stopped and started again, and the call answers 202. All other changes are made at once: 200. Stored user data is used by the next redeploy, or at the next boot with `apply_user_data_on_next_boot`.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  raisesCost: 'sometimes',
  resource: { name: 'vm', role: 'update' },
  params: VmId,
  body: UpdateVm,
  answers: { 200: Vm, 202: Vm },
  problems: [
    'name_taken',
    'invalid_state',
    'vm_not_stopped',
    'vm_in_rescue',
    'resource_suspended',
    'operation_in_progress',
    'quota_exceeded',
    'capacity_unavailable',
    'placement_unsatisfiable',
    'capability_missing',
  ],
  operation: resizeVmKind,
  example: {
    params: { id: exampleVm.id },
    body: { description: 'The front of the shop', plan: 'flex-1-2' },
    answer: {
      status: 202,
      body: during(resizeVmKind, exampleVm, { description: 'The front of the shop', status: 'resizing' }),
    },
  },
  prepare: async (call) => {
    const { body, services } = call;
    if (!namesSize(body)) return null;
    return askCapacity(call, (row) => resizeIn(services, row, body), body.placement_group_id);
  },
  async handle(call, asked) {
    const { db, params, body, services, now } = call;
    if (body.name !== undefined) await vms.lockNames(call);
    const before = await vms.take(call, params.id);
    const operation = (await pendingOn(db, [before.id])).get(before.id);
    vmLife.require('updateVm', before.status, { operation });
    const wanted = resizeIn(services, before, body);
    const target = wanted && targetOf(services, before, wanted, now);
    const working = target && operation && isUnderWay(operation, target) ? operation : undefined;
    if (target !== null && working === undefined) requireResizable(before, operation);
    if (body.backup_policy_id != null)
      await requireBackupPolicy(call, body.backup_policy_id, before.location);
    await checkGroup(call, before);
    // If both the name and the user data are wrong, the call fails with `name_taken`.
    if (body.name !== undefined && body.name !== before.name) await vms.requireFreeName(call, body.name);
    const change = changeOf(before, body);
    warnIfIgnored(call, change.user_data ?? null);
    const changes = changesOf(before, change);
    if (wanted !== null && target !== null && working === undefined) {
      // One effect shows all changes, so the row is written without one.
      const row = changes.length === 0 ? before : ((await vms.change(db, before.id, change, call)) ?? before);
      if (changes.length > 0) call.event(vms.event('updated', row));
      if (change.labels !== undefined) await followLabels(call, before, row);
      await followPolicy(call, before, row);
      return accepted(await acceptResize(call, row, { body: wanted, target, asked, changes }));
    }
    const row = await vms.write(call, before, change, changes);
    if (change.labels !== undefined) await followLabels(call, before, row);
    await followPolicy(call, before, row);
    if (working === undefined) return ok(await showVm(call, row));
    call.follow(working);
    return accepted(await showVm(call, row, working));
  },
});

/** The cost of the call includes the backups that another policy is going to make. */
async function followPolicy(
  call: Parameters<typeof planBackupsOf>[0],
  before: VmRow,
  row: VmRow,
): Promise<void> {
  if (row.backup_policy_id !== before.backup_policy_id) await planBackupsOf(call, row);
}

/** The engine places a machine when it starts, so only a stopped machine can change its group. */
async function checkGroup(
  call: Parameters<typeof requirePlacementGroup>[0] & { readonly body: UpdateVm },
  before: VmRow,
): Promise<void> {
  const { placement_group_id: wanted } = call.body;
  if (wanted === undefined || wanted === before.placement_group_id) return;
  if (before.status !== 'stopped')
    throw new Problem('vm_not_stopped', {
      detail: 'Stop the machine before you change its placement group.',
      extra: { current_state: before.status, allowed_states: ['stopped'] },
    });
  if (wanted !== null)
    await requirePlacementGroup(call, wanted, before.location, '/placement_group_id', before.id);
}
