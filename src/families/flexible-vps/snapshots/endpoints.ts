import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { creationOf, deletionOf, listOf, readOf } from '../../../resources/records/records.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVm } from '../vms/store.ts';
import { createSnapshotKind, snapshotDeletion } from './kinds.ts';
import { snapshotLife } from './lifecycle.ts';
import { chooseName, readExpiry, refuseUnquiet } from './new-snapshot.ts';
import { snapshotView } from './present.ts';
import { refuseInUse } from './removal.ts';
import { snapshots } from './resource.ts';
import { CreateSnapshot } from './schema.ts';
import { lockSnapshotsOf } from './store.ts';

export const listVmSnapshots = listOf(snapshotView, {
  id: 'listVmSnapshots',
  summary: 'List the snapshots of a VM',
  query: ResourceQuery({
    status: Type.Optional({ ...snapshotLife.Status, description: 'Only snapshots with this status.' }),
  }),
});

export const getVmSnapshot = readOf(snapshotView, { id: 'getVmSnapshot', summary: 'Get a snapshot of a VM' });

export const createVmSnapshot = creationOf(snapshotView, {
  id: 'createVmSnapshot',
  summary: 'Take a snapshot of a VM',
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
    const { db, caller, params, body, now } = call;
    const accountId = caller.account.id;
    const vm = await lockVm(db, accountId, params.id);
    vmLife.require('createVmSnapshot', vm.status, {
      operation: (await pendingOn(db, [vm.id])).get(vm.id),
    });
    const expires_at = readExpiry(body.expires_at, now);
    const others = await lockSnapshotsOf(db, accountId, vm.id);
    const name = chooseName(body.name, others, now);
    // Failed snapshots do not count against the limit: they are kept only so that the caller can read them.
    const standing = others.filter(({ status }) => status !== 'failed');
    await requireRoomIn(call, 'flexible-vps.snapshots-per-vm', vm.id, { before: standing.length });
    const { quiesce = 'auto' } = body;
    refuseUnquiet(call, vm, quiesce);
    const row = await snapshots.add(call, {
      id: snapshots.newId(),
      vm_id: vm.id,
      name,
      description: body.description ?? '',
      labels: body.labels ?? {},
      status: 'creating',
      disk_gb: vm.disk_gb,
      created_by: 'user',
      expires_at,
    });
    // The size is known only when the snapshot is taken, so the cost is that of a copy of the whole disk.
    const detail = `The price depends on the size of the finished snapshot; this is the most it can cost, for ${vm.disk_gb} GB.`;
    call.warn({ code: 'cost_follows_size', detail });
    return {
      row,
      ready: { status: 'available', size_bytes: vm.disk_gb * BYTES_PER_GB },
      input: { vm_id: vm.id, quiesce },
      subjects: [vm.id, row.id],
    };
  },
});

export const deleteVmSnapshot = deletionOf(snapshotView, {
  ...snapshotDeletion,
  id: 'deleteVmSnapshot',
  summary: 'Delete a snapshot of a VM',
  description: 'Waits for the operations that already run on the machine.',
  problems: ['operation_queue_full', 'resource_in_use'],
  life: snapshotLife,
  loss: 'The snapshot.',
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
