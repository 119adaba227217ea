import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { Shape, type Static, Type, when } from '../../../kernel/schema.ts';
import { Variants } from '../../../kernel/variants.ts';
import { enterStatus } from '../power/status.ts';
import { SnapshotOf } from '../references.ts';
import { StartAfter } from '../resize/schema.ts';
import { requireAvailable, sacrifice } from '../snapshots/affected-snapshots.ts';
import { BackupId } from '../snapshots/source.ts';
import { lockSnapshotsOf } from '../snapshots/store.ts';
import { exampleOperation } from '../vms/example.ts';
import { showVm } from '../vms/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import { restoreVmKind } from './kind.ts';
import { ConfirmMachine, requireMachineName, requireOverwritable } from './refusals.ts';

const RestoreVm = Shape({
  source: Variants(
    'RestoreSource',
    'type',
    {
      snapshot: {
        means: 'A snapshot of this machine.',
        members: {
          snapshot_id: { ...SnapshotOf('path/id'), description: 'The snapshot to restore.' },
        },
      },
      backup: {
        means: 'A backup of the machine. Not offered yet: refused.',
        members: { backup_id: BackupId },
      },
    },
    { description: 'Where the content of the disk comes from.' },
  ),
  delete_newer_snapshots: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('source/type', 'snapshot'),
      description: 'For a snapshot: whether newer snapshots may be deleted.',
    }),
  ),
  delete_snapshots: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('source/type', 'backup'),
      description: 'For a backup: whether all snapshots may be deleted.',
    }),
  ),
  safety_backup: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('source/type', 'backup'),
      description: 'For a backup: whether the present disk is backed up first.',
    }),
  ),
  start_after: Type.Optional(StartAfter),
  confirm: ConfirmMachine,
});
type RestoreVm = Static<typeof RestoreVm>;

/** Returns the id of the snapshot. Refuses bodies that request a backup or its options. */
function readSource({ source, delete_snapshots, safety_backup }: RestoreVm): string {
  if (source.type === 'backup') {
    const detail = 'Backups are not offered yet; restore a snapshot of the machine.';
    throw invalid([{ pointer: '/source/type', code: 'incompatible', detail }]);
  }
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries({ delete_snapshots, safety_backup })) {
    if (value !== true) continue;
    const detail = 'This is allowed only when you restore a backup.';
    errors.push({ pointer: `/${name}`, code: 'incompatible', detail });
  }
  if (errors.length > 0) throw invalid(errors);
  return source.snapshot_id;
}

async function chooseSnapshot(call: Call<{ id: string }, unknown, RestoreVm>, vmId: string, wanted: string) {
  const rows = await lockSnapshotsOf(call.db, call.caller.account.id, vmId);
  const place = rows.findIndex(({ id }) => id === wanted);
  const snapshot = rows[place];
  if (snapshot === undefined) {
    const detail = 'The machine has no such snapshot.';
    throw invalid([{ pointer: '/source/snapshot_id', code: 'unknown_reference', detail }]);
  }
  return { snapshot, newer: rows.slice(place + 1) };
}

export const restoreVm = endpoint({
  id: 'restoreVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/restore',
  summary: 'Restore the disk of a VM',
  description:
    'Restores the root disk from a snapshot of the VM. Only the newest snapshot can be restored, so newer ones are deleted first; allow that with `delete_newer_snapshots`. Everything except the disk stays as it is now. A running VM is asked to shut down and forced off after 60 seconds. cloud-init does not run again. If the restore fails, the VM is stopped and keeps its present disk.',
  permission: 'flexible-vps:vm-disks:write',
  access: 'destructive',
  resource: { name: 'vm', role: 'action' },
  raisesCost: 'sometimes',
  params: VmId,
  body: RestoreVm,
  answers: { 202: Vm },
  problems: [
    'resource_protected',
    'resource_suspended',
    'invalid_state',
    'operation_in_progress',
    'vm_in_rescue',
    'newer_snapshots_exist',
    'resource_in_use',
  ],
  operation: restoreVmKind,
  example: {
    params: { id: exampleVm.id },
    body: {
      source: { type: 'snapshot', snapshot_id: 'snap_01jqzv2m7xe9rs5d3k8w4t6y0b' },
      start_after: 'yes',
      confirm: exampleVm.name,
    },
    answer: {
      status: 202,
      body: { ...exampleVm, status: 'restoring', operation: exampleOperation('vm.restore', exampleVm) },
    },
  },
  async handle(call) {
    const { db, caller, params, body } = call;
    const wanted = readSource(body);
    const before = await lockVm(db, caller.account.id, params.id);
    requireMachineName(body.confirm, before);
    const { snapshot, newer } = await chooseSnapshot(call, before.id, wanted);
    await requireOverwritable(call, 'restoreVm', before);
    await requireAvailable(call, snapshot);
    call.effect({
      action: 'wipe_disk',
      ...vms.ref(before),
      loss: forGood(`All that was written to the disk after the snapshot ${snapshot.name}.`),
    });
    const remove = await sacrifice(call, newer, {
      isMeant: body.delete_newer_snapshots ?? false,
      code: 'newer_snapshots_exist',
      detail: (count) => `${count} taken after this one would be deleted.`,
    });
    const { start_after = 'as_before' } = body;
    const start = start_after === 'as_before' ? before.status === 'running' : start_after === 'yes';
    await vms.reportCost(call, [before], { status: start ? 'running' : 'stopped', is_billed: true });
    const row = await enterStatus(db, before, 'restoring');
    const operation = await call.start({
      kind: restoreVmKind,
      input: { snapshot_id: snapshot.id, remove, start, was: before.status },
      resource: vms.ref(row),
      subjects: [row.id, snapshot.id],
    });
    return accepted(await showVm(call, row, operation));
  },
});
