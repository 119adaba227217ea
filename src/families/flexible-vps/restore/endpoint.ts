import type { Call } from '../../../kernel/call.ts';
import { forGood, forNow } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { label, Shape, type Static, Type, when } from '../../../kernel/schema.ts';
import { Variants } from '../../../kernel/variants.ts';
import type { BackupRow } from '../backups/table.ts';
import { requireBackup } from '../backups/use.ts';
import { addBackupBefore } from '../backups/with-machine.ts';
import { enterStatus } from '../power/status.ts';
import { BackupRef, SnapshotOf } from '../references.ts';
import { StartAfter } from '../resize/schema.ts';
import { acceptLossOfSnapshots, requireAvailable } from '../snapshots/affected-snapshots.ts';
import { lockSnapshotsOf } from '../snapshots/store.ts';
import { showVm } from '../vm-reading/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
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
        means: 'A backup of this machine, or of another one with a disk that is not larger.',
        members: { backup_id: { ...BackupRef, description: 'The backup to restore.' } },
      },
    },
    { description: 'Where the content of the disk comes from.' },
  ),
  delete_newer_snapshots: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('source/type', 'snapshot'),
      ...label('Newer snapshots may be deleted'),
      description: 'For a snapshot: whether newer snapshots may be deleted.',
    }),
  ),
  safety_backup: Type.Optional(
    Type.Boolean({
      ...when('source/type', 'backup'),
      ...label('Back up the present disk first'),
      description:
        'For a backup: whether the present disk is backed up first. That backup is deleted after 7 days. Default: true.',
    }),
  ),
  delete_snapshots: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('source/type', 'backup'),
      ...label('Its snapshots may be deleted'),
      description: 'For a backup: whether all snapshots may be deleted.',
    }),
  ),
  start_after: Type.Optional(StartAfter),
  confirm: ConfirmMachine,
});
type RestoreVm = Static<typeof RestoreVm>;
type RestoreCall = Call<{ id: string }, unknown, RestoreVm>;

/** Refuses options of a backup in a body that names a snapshot. */
function refuseBackupOptions({ source, delete_snapshots, safety_backup }: RestoreVm): void {
  if (source.type === 'backup') return;
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries({ delete_snapshots, safety_backup })) {
    if (value !== true) continue;
    const detail = 'This is allowed only when you restore a backup.';
    errors.push({ pointer: `/${name}`, code: 'incompatible', detail });
  }
  if (errors.length > 0) throw invalid(errors);
}

async function chooseSnapshot(call: RestoreCall, vmId: string, wanted: string) {
  const rows = await lockSnapshotsOf(call.db, call.caller.account.id, vmId);
  const place = rows.findIndex(({ id }) => id === wanted);
  const snapshot = rows[place];
  if (snapshot === undefined) {
    const detail = 'The machine has no such snapshot.';
    throw invalid([{ pointer: '/source/snapshot_id', code: 'unknown_reference', detail }]);
  }
  return { snapshot, newer: rows.slice(place + 1) };
}

/** Checks the source and reports what is lost. `sources` cannot be deleted while the operation runs. */
interface Chosen {
  readonly input: { snapshot_id?: string; backup_id?: string; safety_backup_id?: string; remove: string[] };
  readonly sources: readonly string[];
}

async function fromSnapshot(call: RestoreCall, before: VmRow, wanted: string): Promise<Chosen> {
  const { snapshot, newer } = await chooseSnapshot(call, before.id, wanted);
  await requireOverwritable(call, 'restoreVm', before);
  await requireAvailable(call, snapshot);
  call.effect({
    action: 'wipe_disk',
    ...vms.ref(before),
    loss: forGood(`All that was written to the disk after the snapshot "${snapshot.name}".`),
  });
  const remove = await acceptLossOfSnapshots(call, newer, {
    isMeant: call.body.delete_newer_snapshots ?? false,
    code: 'newer_snapshots_exist',
    detail: (count) => `${count} taken after this one would be deleted.`,
  });
  return { input: { snapshot_id: snapshot.id, remove }, sources: [snapshot.id] };
}

function refuseUnfit({ services }: RestoreCall, vm: VmRow, backup: BackupRow): void {
  const refuse = (detail: string) =>
    invalid([{ pointer: '/source/backup_id', code: 'incompatible', detail }]);
  if (backup.architecture !== vm.architecture)
    throw refuse(`The backup is for ${backup.architecture}, the machine is ${vm.architecture}.`);
  if (backup.disk_gb > vm.disk_gb)
    throw refuse(`The backup needs a disk of ${backup.disk_gb} GB, the machine has ${vm.disk_gb} GB.`);
  const formats: readonly string[] = services.compute.at(vm.location)?.imageFormats ?? [];
  if (formats.length > 0 && !formats.includes(backup.format ?? ''))
    throw refuse('The backup is in a format that the location of the machine does not accept.');
}

const SAFETY_MS = 7 * 24 * 3_600_000;

async function fromBackup(call: RestoreCall, before: VmRow, backupId: string): Promise<Chosen> {
  const backup = await requireBackup(call, backupId);
  await requireOverwritable(call, 'restoreVm', before);
  refuseUnfit(call, before, backup);
  const { safety_backup: isSafe = true, delete_snapshots: isMeant = false } = call.body;
  const what = `All data on the disk (${before.disk_gb} GB) that is not in the backup "${backup.name}".`;
  const loss = isSafe ? forNow(what) : forGood(what);
  call.effect({ action: 'wipe_disk', ...vms.ref(before), loss });
  const rows = await lockSnapshotsOf(call.db, call.caller.account.id, before.id);
  const remove = await acceptLossOfSnapshots(call, rows, {
    isMeant,
    code: 'vm_has_snapshots',
    detail: (count) => `${count} of the machine would be deleted, because the disk is replaced.`,
  });
  if (!isSafe) return { input: { backup_id: backup.id, remove }, sources: [backup.id] };
  const expires = new Date(call.now.getTime() + SAFETY_MS);
  const safety = await addBackupBefore(call as Call, before, 'safety', expires);
  return {
    input: { backup_id: backup.id, safety_backup_id: safety.id, remove },
    sources: [backup.id, safety.id],
  };
}

export const restoreVm = endpoint({
  id: 'restoreVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/restore',
  summary: 'Restore the disk of a machine',
  description:
    'Restores the root disk from a snapshot of the machine, or from a backup of any machine. Only the newest snapshot can be restored, so newer ones are deleted first; allow that with `delete_newer_snapshots`. A backup replaces the disk, so all snapshots are deleted; allow that with `delete_snapshots`. A backup is fetched and verified before the present disk is touched. Everything except the disk stays as it is now. A running machine is asked to shut down and forced off after 60 seconds. cloud-init does not run again. If the restore fails, the machine is stopped and keeps its present disk.',
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
    'vm_has_snapshots',
    'resource_in_use',
    'quota_exceeded',
    'capability_missing',
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
      body: during(restoreVmKind, exampleVm, { status: 'restoring' }),
    },
  },
  async handle(call) {
    const { db, caller, params, body } = call;
    refuseBackupOptions(body);
    const before = await lockVm(db, caller.account.id, params.id);
    requireMachineName(body.confirm, before);
    const { input, sources } = await (body.source.type === 'backup'
      ? fromBackup(call, before, body.source.backup_id)
      : fromSnapshot(call, before, body.source.snapshot_id));
    const { start_after = 'as_before' } = body;
    const start = start_after === 'as_before' ? before.status === 'running' : start_after === 'yes';
    await vms.reportCost(call, [before], { status: start ? 'running' : 'stopped', is_billed: true });
    const row = await enterStatus(db, before, 'restoring');
    const operation = await call.start({
      kind: restoreVmKind,
      input: { ...input, start, was: before.status },
      resource: vms.ref(row),
      subjects: [row.id, ...sources],
    });
    return accepted(await showVm(call, row, operation));
  },
});
