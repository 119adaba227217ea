import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { creationOf, deletionOf, listOf, readOf } from '../../../resources/records/records.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVm } from '../vms/store.ts';
import { createSnapshotKind, snapshotDeletion } from './kinds.ts';
import { snapshotLife } from './lifecycle.ts';
import { columnsOfNew, readyAtMost, refuseUnquiet } from './new-snapshot.ts';
import { snapshotView } from './present.ts';
import { refuseInUse } from './removal.ts';
import { snapshots } from './resource.ts';
import { CreateSnapshot } from './schema.ts';
import { lockSnapshotsOf } from './store.ts';

export const listVmSnapshots = listOf(snapshotView, {
  id: 'listVmSnapshots',
  summary: 'List the snapshots of a machine',
  query: ResourceQuery({
    status: Type.Optional({ ...snapshotLife.Status, description: 'Only snapshots with this status.' }),
  }),
});

export const getVmSnapshot = readOf(snapshotView, {
  id: 'getVmSnapshot',
  summary: 'Get a snapshot of a machine',
});

export const createVmSnapshot = creationOf(snapshotView, {
  id: 'createVmSnapshot',
  summary: 'Take a snapshot of a machine',
  description:
    'Copies the root disk of a running or stopped machine; the status of the machine does not change. The snapshot is deleted with the machine. It is billed by the space it takes; the cost shown beforehand is the maximum, for a copy of the whole disk. A failed snapshot is kept for 24 hours.',
  raisesCost: true,
  body: CreateSnapshot,
  problems: [
    'name_taken',
    'quota_exceeded',
    'operation_in_progress',
    'invalid_state',
    'resource_suspended',
    'guest_agent_unavailable',
    'capability_missing',
  ],
  kind: createSnapshotKind,
  example: {
    body: { name: 'before-upgrade', labels: { env: 'prod' } },
    answer: { size_bytes: null, consistency: null },
  },
  async begin(call) {
    const { db, caller, params, body } = call;
    const accountId = caller.account.id;
    const vm = await lockVm(db, accountId, params.id);
    vmLife.require('createVmSnapshot', vm.status, {
      operation: (await pendingOn(db, [vm.id])).get(vm.id),
    });
    const columns = await columnsOfNew(call, {
      id: vm.id,
      limit: 'flexible-vps.snapshots-per-vm',
      noun: 'machine',
      others: await lockSnapshotsOf(db, accountId, vm.id),
    });
    const { quiesce = 'auto' } = body;
    refuseUnquiet(call, vm, quiesce);
    const { id: vm_id, disk_gb } = vm;
    const id = snapshots.newId();
    const row = await snapshots.add(call, { id, vm_id, disk_gb, created_by: 'user', ...columns });
    return { row, ready: readyAtMost(call, disk_gb), input: { vm_id, quiesce }, subjects: [vm_id, id] };
  },
});

export const deleteVmSnapshot = deletionOf(snapshotView, {
  ...snapshotDeletion,
  id: 'deleteVmSnapshot',
  summary: 'Delete a snapshot of a machine',
  description: 'Waits for the operations that already run on the machine.',
  problems: ['operation_queue_full', 'resource_in_use'],
  life: snapshotLife,
  async take(call) {
    const { db, caller, params } = call;
    const vm = await lockVm(db, caller.account.id, params['id'] ?? '');
    const rows = await lockSnapshotsOf(db, caller.account.id, vm.id);
    const row = rows.find(({ id }) => id === params['snapshot_id']);
    if (row === undefined) throw new Problem('not_found');
    call.checkVersion(snapshots.etag(row));
    return row;
  },
  check: (call, row) => refuseInUse(call, [row.id]),
});

export const snapshotEndpoints = [listVmSnapshots, createVmSnapshot, getVmSnapshot, deleteVmSnapshot];
