import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { creationOf, deletionOf, listOf, readOf } from '../../../resources/records/records.ts';
import { BackupPolicyRef, VmRef } from '../references.ts';
import { readExpiry, refuseUnquiet } from '../snapshots/new-snapshot.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVmIfThere } from '../vms/store.ts';
import { createVmBackupDownload } from './download.ts';
import { backupDeletion, createBackupKind } from './kinds.ts';
import { backupLife } from './lifecycle.ts';
import { columnsOf, reportMost, requireStore } from './new-backup.ts';
import { backupView } from './present.ts';
import { backups } from './resource.ts';
import { BackupKind, CreateBackup } from './schema.ts';
import { usersOfBackup } from './store.ts';

const listVmBackups = listOf(backupView, {
  id: 'listVmBackups',
  description: 'Lists the backups of all machines, also of machines that were deleted.',
  query: ResourceQuery({
    vm_id: Type.Optional({ ...VmRef, description: 'Only backups of this machine.' }),
    policy_id: Type.Optional({ ...BackupPolicyRef, description: 'Only backups that this policy made.' }),
    kind: Type.Optional({ ...BackupKind, description: 'Only backups of this kind.' }),
    status: Type.Optional({ ...backupLife.Status, description: 'Only backups with this status.' }),
  }),
});

const getVmBackup = readOf(backupView, { id: 'getVmBackup' });

const createVmBackup = creationOf(backupView, {
  id: 'createVmBackup',
  summary: 'Back up a machine',
  description:
    'Copies the root disk of a running or stopped machine, without its snapshots and volumes, to the backup store of its location, encrypted. The backup does not depend on the machine: it stays when the machine is deleted, and can be restored to any machine of the account. It is billed by its size; the cost shown beforehand is the maximum.',
  raisesCost: true,
  body: CreateBackup,
  problems: [
    'quota_exceeded',
    'operation_in_progress',
    'invalid_state',
    'resource_suspended',
    'vm_in_rescue',
    'guest_agent_unavailable',
    'capability_missing',
  ],
  kind: createBackupKind,
  example: {
    body: { vm_id: backupView.example.vm_id, name: backupView.example.name, labels: { env: 'prod' } },
    answer: { size_bytes: null, sha256: null, consistency: null },
  },
  async begin(call) {
    const { db, caller, body, services, now } = call;
    const vm = await lockVmIfThere(db, caller.account.id, body.vm_id);
    if (vm === undefined) {
      const detail = 'There is no such machine in this account.';
      throw invalid([{ pointer: '/vm_id', code: 'unknown_reference', detail }]);
    }
    const expires_at = readExpiry(body.expires_at, now);
    // A backup needs a machine in the same states as a snapshot does.
    vmLife.require('createVmSnapshot', vm.status, { operation: (await pendingOn(db, [vm.id])).get(vm.id) });
    if (vm.rescue_expires_at !== null)
      throw new Problem('vm_in_rescue', { extra: { current_state: vm.status } });
    requireStore(services, vm.location);
    const { quiesce = 'auto' } = body;
    refuseUnquiet(call, vm, quiesce);
    await requireRoom(call, [{ limit: 'flexible-vps.backups', amount: 1, location: vm.location }]);
    const fresh = columnsOf(vm, 'manual');
    const row = await backups.add(call, {
      ...fresh,
      name: body.name ?? fresh.name,
      description: body.description ?? '',
      labels: body.labels ?? {},
      expires_at,
    });
    await reportMost(call, row);
    return { row: { ...row, links: [] }, input: { vm_id: vm.id, quiesce }, subjects: [vm.id, row.id] };
  },
});

const deleteVmBackup = deletionOf(backupView, {
  ...backupDeletion,
  id: 'deleteVmBackup',
  description: 'Download links of the backup stop working at once.',
  problems: ['resource_in_use'],
  life: backupLife,
  take: async (call) => ({ ...(await backups.take(call, call.params['id'] ?? '')), links: [] }),
  async check({ db, caller }, { id }) {
    refuseUsed(await usersOfBackup(db, caller.account.id, id), {
      detail: 'The backup is being used to create or restore another resource.',
      nextStep: 'Wait until the resources in used_by are ready, then repeat the call.',
    });
  },
});

export const backupEndpoints = [
  listVmBackups,
  createVmBackup,
  getVmBackup,
  deleteVmBackup,
  createVmBackupDownload,
];
