import { forGood } from '../../../kernel/effect.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { exampleOperation } from '../operation-example.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { VmId } from '../vms/schema.ts';
import { findVm, lockVm } from '../vms/store.ts';
import { createSnapshotKind, deleteSnapshotKind } from './kinds.ts';
import { snapshotLife } from './lifecycle.ts';
import { chooseName, readExpiry, refuseUnquiet } from './new-snapshot.ts';
import { presentSnapshot } from './present.ts';
import { refuseInUse } from './removal.ts';
import { snapshots } from './resource.ts';
import { CreateSnapshot, exampleSnapshot, Snapshot, SnapshotId } from './schema.ts';
import { findSnapshot, listSnapshots, lockSnapshotsOf } from './store.ts';

const collection = '/flexible-vps/v1/vms/{id}/snapshots';
const ids = { id: exampleSnapshot.vm_id, snapshot_id: exampleSnapshot.id };

export const listVmSnapshots = endpoint({
  id: 'listVmSnapshots',
  method: 'GET',
  path: collection,
  summary: 'List the snapshots of a VM',
  permission: 'flexible-vps:snapshots:read',
  access: 'read',
  resource: { name: 'snapshot', role: 'list' },
  params: VmId,
  query: ResourceQuery({
    status: Type.Optional({ ...snapshotLife.Status, description: 'Only snapshots with this status.' }),
  }),
  answers: { 200: List(Snapshot) },
  problems: [],
  example: {
    params: { id: exampleSnapshot.vm_id },
    answer: { status: 200, body: { data: [exampleSnapshot], next_cursor: null } },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const { rows, nextCursor } = await listSnapshots(call, params.id, call.query.status);
    if (rows.length === 0) await findVm(db, caller.account.id, params.id);
    return ok({
      data: rows.map(({ row, operation }) => presentSnapshot(row, operation, services.baseUrl)),
      next_cursor: nextCursor,
    });
  },
});

export const getVmSnapshot = endpoint({
  id: 'getVmSnapshot',
  method: 'GET',
  path: `${collection}/{snapshot_id}`,
  summary: 'Get a snapshot of a VM',
  permission: 'flexible-vps:snapshots:read',
  access: 'read',
  resource: { name: 'snapshot', role: 'read' },
  params: SnapshotId,
  answers: { 200: Snapshot },
  problems: [],
  example: { params: ids, answer: { status: 200, body: exampleSnapshot } },
  async handle({ db, caller, params, services }) {
    const { row, operation } = await findSnapshot(db, caller.account.id, params.id, params.snapshot_id);
    return ok(presentSnapshot(row, operation, services.baseUrl));
  },
});

export const createVmSnapshot = endpoint({
  id: 'createVmSnapshot',
  method: 'POST',
  path: collection,
  summary: 'Take a snapshot of a VM',
  description:
    'Copies the root disk of a running or stopped machine; the status of the machine does not change. The snapshot is deleted with the machine. It is billed by the space it takes; the cost shown beforehand is the maximum, for a copy of the whole disk. A failed snapshot is kept for 24 hours.',
  permission: 'flexible-vps:snapshots:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'snapshot', role: 'create' },
  params: VmId,
  body: CreateSnapshot,
  answers: { 202: Snapshot },
  problems: [
    'name_taken',
    'quota_exceeded',
    'operation_in_progress',
    'invalid_state',
    'resource_suspended',
    'guest_agent_unavailable',
    'capability_missing',
  ],
  operation: createSnapshotKind,
  example: {
    params: { id: exampleSnapshot.vm_id },
    body: { name: 'before-upgrade', labels: { env: 'prod' } },
    answer: {
      status: 202,
      body: {
        ...exampleSnapshot,
        status: 'creating',
        provisioned_at: null,
        size_bytes: null,
        consistency: null,
        operation: exampleOperation('snapshot.create', exampleSnapshot),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services, now } = call;
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
    await snapshots.reportCost(call, [row], { status: 'available', size_bytes: vm.disk_gb * BYTES_PER_GB });
    const operation = await call.start({
      kind: createSnapshotKind,
      input: { vm_id: vm.id, quiesce },
      resource: snapshots.ref(row),
      subjects: [vm.id, row.id],
    });
    return accepted(presentSnapshot(row, operation, services.baseUrl));
  },
});

export const deleteVmSnapshot = endpoint({
  id: 'deleteVmSnapshot',
  method: 'DELETE',
  path: `${collection}/{snapshot_id}`,
  summary: 'Delete a snapshot of a VM',
  description: 'Waits for the operations that already run on the machine.',
  permission: 'flexible-vps:snapshots:delete',
  access: 'destructive',
  resource: { name: 'snapshot', role: 'delete' },
  params: SnapshotId,
  answers: { 202: Snapshot },
  problems: ['invalid_state', 'operation_in_progress', 'operation_queue_full', 'resource_in_use'],
  operation: deleteSnapshotKind,
  example: {
    params: ids,
    answer: {
      status: 202,
      body: {
        ...exampleSnapshot,
        status: 'deleting',
        operation: exampleOperation('snapshot.delete', exampleSnapshot),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const vm = await lockVm(db, caller.account.id, params.id);
    const before = (await lockSnapshotsOf(db, caller.account.id, vm.id)).find(
      ({ id }) => id === params.snapshot_id,
    );
    if (before === undefined) throw new Problem('not_found');
    call.checkVersion(snapshots.etag(before));
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    snapshotLife.require('deleteVmSnapshot', before.status, { operation: pending });
    if (before.status === 'deleting' && pending !== undefined) {
      call.follow(pending);
      call.effect({ action: 'none', ...snapshots.ref(before) });
      return accepted(presentSnapshot(before, pending, services.baseUrl));
    }
    await refuseInUse(call, [before.id]);
    const deleting = { status: 'deleting' } as const;
    const row = (await snapshots.change(db, before.id, deleting, { keepsPrice: true })) ?? before;
    const resource = snapshots.ref(row);
    const subjects = [vm.id, row.id];
    const input = { vm_id: vm.id, was: before.failed_at === null ? 'available' : 'failed' } as const;
    const operation = await call.start({ kind: deleteSnapshotKind, input, resource, subjects });
    await snapshots.reportCost(call, [before], null);
    call.effect({ action: 'delete', ...resource, loss: forGood('The snapshot.') });
    return accepted(presentSnapshot(row, operation, services.baseUrl));
  },
});

export const snapshotEndpoints = [listVmSnapshots, createVmSnapshot, getVmSnapshot, deleteVmSnapshot];
