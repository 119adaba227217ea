import { forGood } from '../../../kernel/effect.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { exampleOperation } from '../operation-example.ts';
import { BackupPolicyRef, VmRef } from '../references.ts';
import { readExpiry, refuseUnquiet } from '../snapshots/new-snapshot.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVmIfThere } from '../vms/store.ts';
import { createVmBackupDownload } from './download.ts';
import { createBackupKind, deleteBackupKind } from './kinds.ts';
import { backupLife } from './lifecycle.ts';
import { columnsOf, reportMost, requireStore } from './new-backup.ts';
import { presentBackup } from './present.ts';
import { backups } from './resource.ts';
import { Backup, BackupKind, BackupParams, CreateBackup, exampleBackup } from './schema.ts';
import { findBackup, listBackups, usersOfBackup } from './store.ts';

const collection = '/flexible-vps/v1/backups';

const listVmBackups = endpoint({
  id: 'listVmBackups',
  method: 'GET',
  path: collection,
  summary: 'List backups',
  description: 'Lists the backups of all machines, also of machines that were deleted.',
  permission: 'flexible-vps:backups:read',
  access: 'read',
  resource: { name: 'backup', role: 'list' },
  query: ResourceQuery({
    vm_id: Type.Optional({ ...VmRef, description: 'Only backups of this machine.' }),
    policy_id: Type.Optional({ ...BackupPolicyRef, description: 'Only backups that this policy made.' }),
    kind: Type.Optional({ ...BackupKind, description: 'Only backups of this kind.' }),
    status: Type.Optional({ ...backupLife.Status, description: 'Only backups with this status.' }),
  }),
  answers: { 200: List(Backup) },
  problems: [],
  example: { answer: { status: 200, body: { data: [exampleBackup], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await listBackups(call, call.query);
    return ok({
      data: rows.map(({ row, operation, links }) =>
        presentBackup(row, operation, call.services.baseUrl, links),
      ),
      next_cursor: nextCursor,
    });
  },
});

const getVmBackup = endpoint({
  id: 'getVmBackup',
  method: 'GET',
  path: `${collection}/{id}`,
  summary: 'Get a backup',
  permission: 'flexible-vps:backups:read',
  access: 'read',
  resource: { name: 'backup', role: 'read' },
  params: BackupParams,
  answers: { 200: Backup },
  problems: [],
  example: { params: { id: exampleBackup.id }, answer: { status: 200, body: exampleBackup } },
  async handle({ db, caller, params, services }) {
    const found = await findBackup(db, caller.account.id, params.id);
    if (found === undefined) throw new Problem('not_found');
    return ok(presentBackup(found.row, found.operation, services.baseUrl, found.links));
  },
});

const createVmBackup = endpoint({
  id: 'createVmBackup',
  method: 'POST',
  path: collection,
  summary: 'Back up a VM',
  description:
    'Copies the root disk of a running or stopped machine, without its snapshots and volumes, to the backup store of its location, encrypted. The backup does not depend on the machine: it stays when the machine is deleted, and can be restored to any machine of the account. It is billed by its size; the cost shown beforehand is the maximum.',
  permission: 'flexible-vps:backups:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'backup', role: 'create' },
  body: CreateBackup,
  answers: { 202: Backup },
  problems: [
    'quota_exceeded',
    'operation_in_progress',
    'invalid_state',
    'resource_suspended',
    'vm_in_rescue',
    'guest_agent_unavailable',
    'capability_missing',
  ],
  operation: createBackupKind,
  example: {
    body: { vm_id: exampleBackup.vm_id, name: exampleBackup.name, labels: { env: 'prod' } },
    answer: {
      status: 202,
      body: {
        ...exampleBackup,
        status: 'creating',
        provisioned_at: null,
        size_bytes: null,
        sha256: null,
        consistency: null,
        operation: exampleOperation('backup.create', exampleBackup),
      },
    },
  },
  async handle(call) {
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
    const operation = await call.start({
      kind: createBackupKind,
      input: { vm_id: vm.id, quiesce },
      resource: backups.ref(row),
      subjects: [vm.id, row.id],
    });
    return accepted(presentBackup(row, operation, services.baseUrl));
  },
});

const deleteVmBackup = endpoint({
  id: 'deleteVmBackup',
  method: 'DELETE',
  path: `${collection}/{id}`,
  summary: 'Delete a backup',
  description: 'Download links of the backup stop working at once.',
  permission: 'flexible-vps:backups:delete',
  access: 'destructive',
  resource: { name: 'backup', role: 'delete' },
  params: BackupParams,
  answers: { 202: Backup },
  problems: ['invalid_state', 'operation_in_progress', 'resource_in_use'],
  operation: deleteBackupKind,
  example: {
    params: { id: exampleBackup.id },
    answer: {
      status: 202,
      body: {
        ...exampleBackup,
        status: 'deleting',
        operation: exampleOperation('backup.delete', exampleBackup),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const before = await backups.take(call, params.id);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    backupLife.require('deleteVmBackup', before.status, { operation: pending });
    if (before.status === 'deleting' && pending !== undefined) {
      call.follow(pending);
      call.effect({ action: 'none', ...backups.ref(before) });
      return accepted(presentBackup(before, pending, services.baseUrl));
    }
    refuseUsed(await usersOfBackup(db, caller.account.id, before.id), {
      detail: 'The backup is being used to create or restore another resource.',
      nextStep: 'Wait until the resources in used_by are ready, then repeat the call.',
    });
    await backups.reportCost(call, [before], null);
    const deleting = { status: 'deleting' } as const;
    const row = (await backups.change(db, before.id, deleting, { keepsPrice: true })) ?? before;
    const was = before.failed_at === null ? 'available' : 'failed';
    const operation = await call.start({
      kind: deleteBackupKind,
      input: { was },
      resource: backups.ref(row),
    });
    call.effect({ action: 'delete', ...backups.ref(row), loss: forGood('The backup.') });
    return accepted(presentBackup(row, operation, services.baseUrl));
  },
});

export const backupEndpoints = [
  listVmBackups,
  createVmBackup,
  getVmBackup,
  deleteVmBackup,
  createVmBackupDownload,
];
