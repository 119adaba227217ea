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
import { chooseName, readExpiry } from '../snapshots/new-snapshot.ts';
import { volumeLife } from '../volumes/lifecycle.ts';
import { VolumeId } from '../volumes/schema.ts';
import { lockVolume, readOwnVolume } from '../volumes/store.ts';
import { createVolumeSnapshotKind, deleteVolumeSnapshotKind } from './kinds.ts';
import { volumeSnapshotLife } from './lifecycle.ts';
import { refuseInUse } from './removal.ts';
import { volumeSnapshots } from './resource.ts';
import {
  CreateVolumeSnapshot,
  exampleVolumeSnapshot,
  presentVolumeSnapshot,
  VolumeSnapshot,
  VolumeSnapshotId,
} from './schema.ts';
import { listVolumeSnapshots, lockSnapshotsOfVolume } from './store.ts';

const collection = '/flexible-vps/v1/volumes/{id}/snapshots';

const listVpsVolumeSnapshots = endpoint({
  id: 'listVpsVolumeSnapshots',
  method: 'GET',
  path: collection,
  summary: 'List the snapshots of a volume',
  permission: 'flexible-vps:volume-snapshots:read',
  access: 'read',
  resource: { name: 'volume_snapshot', role: 'list' },
  params: VolumeId,
  query: ResourceQuery({
    status: Type.Optional({ ...volumeSnapshotLife.Status, description: 'Only snapshots with this status.' }),
  }),
  answers: { 200: List(VolumeSnapshot) },
  problems: [],
  example: {
    params: { id: exampleVolumeSnapshot.volume_id },
    answer: { status: 200, body: { data: [exampleVolumeSnapshot], next_cursor: null } },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const { rows, nextCursor } = await listVolumeSnapshots(call, params.id, call.query.status);
    if (rows.length === 0 && (await readOwnVolume(db, caller.account.id, params.id)) === undefined)
      throw new Problem('not_found');
    return ok({
      data: rows.map(({ row, operation }) => presentVolumeSnapshot(row, operation, services.baseUrl)),
      next_cursor: nextCursor,
    });
  },
});

const createVpsVolumeSnapshot = endpoint({
  id: 'createVpsVolumeSnapshot',
  method: 'POST',
  path: collection,
  summary: 'Take a snapshot of a volume',
  description:
    'The volume may be attached to a running machine; the snapshot is then as after a power failure. It is deleted with the volume. It is billed by the space it takes; the cost shown beforehand is the maximum, for a copy of the whole volume.',
  permission: 'flexible-vps:volume-snapshots:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'volume_snapshot', role: 'create' },
  params: VolumeId,
  body: CreateVolumeSnapshot,
  answers: { 202: VolumeSnapshot },
  problems: ['name_taken', 'quota_exceeded', 'operation_in_progress', 'invalid_state'],
  operation: createVolumeSnapshotKind,
  example: {
    params: { id: exampleVolumeSnapshot.volume_id },
    body: { name: 'before-upgrade', labels: { env: 'prod' } },
    answer: {
      status: 202,
      body: {
        ...exampleVolumeSnapshot,
        status: 'creating',
        provisioned_at: null,
        size_bytes: null,
        consistency: null,
        operation: exampleOperation('volume_snapshot.create', exampleVolumeSnapshot),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services, now } = call;
    const volume = await lockVolume(db, caller.account.id, params.id);
    if (volume === undefined) throw new Problem('not_found');
    const operation = (await pendingOn(db, [volume.id])).get(volume.id);
    volumeLife.require('createVpsVolumeSnapshot', volume.status, { operation });
    const expires_at = readExpiry(body.expires_at, now);
    const others = await lockSnapshotsOfVolume(db, volume.id);
    const name = chooseName(body.name, others, now, 'snapshot of the same volume');
    // Failed snapshots do not count against the limit: they are kept only so that the caller can read them.
    const standing = others.filter(({ status }) => status !== 'failed');
    await requireRoomIn(call, 'flexible-vps.snapshots-per-volume', volume.id, { before: standing.length });
    const row = await volumeSnapshots.add(call, {
      id: volumeSnapshots.newId(),
      volume_id: volume.id,
      name,
      description: body.description ?? '',
      labels: body.labels ?? {},
      status: 'creating',
      size_gb: volume.size_gb,
      expires_at,
    });
    const { size_gb } = volume;
    const detail = `The price depends on the size of the finished snapshot; this is the most it can cost, for ${size_gb} GB.`;
    call.warn({ code: 'cost_follows_size', detail });
    await volumeSnapshots.reportCost(call, [row], {
      status: 'available',
      size_bytes: size_gb * BYTES_PER_GB,
    });
    const started = await call.start({
      kind: createVolumeSnapshotKind,
      input: {},
      resource: volumeSnapshots.ref(row),
      subjects: [volume.id, row.id],
    });
    return accepted(presentVolumeSnapshot(row, started, services.baseUrl));
  },
});

const deleteVpsVolumeSnapshot = endpoint({
  id: 'deleteVpsVolumeSnapshot',
  method: 'DELETE',
  path: `${collection}/{snapshot_id}`,
  summary: 'Delete a snapshot of a volume',
  description: 'Waits for the operations that already run on the volume.',
  permission: 'flexible-vps:volume-snapshots:delete',
  access: 'destructive',
  resource: { name: 'volume_snapshot', role: 'delete' },
  params: VolumeSnapshotId,
  answers: { 202: VolumeSnapshot },
  problems: ['invalid_state', 'operation_in_progress', 'operation_queue_full', 'resource_in_use'],
  operation: deleteVolumeSnapshotKind,
  example: {
    params: { id: exampleVolumeSnapshot.volume_id, snapshot_id: exampleVolumeSnapshot.id },
    answer: {
      status: 202,
      body: {
        ...exampleVolumeSnapshot,
        status: 'deleting',
        operation: exampleOperation('volume_snapshot.delete', exampleVolumeSnapshot),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const volume = await lockVolume(db, caller.account.id, params.id);
    const rows = volume === undefined ? [] : await lockSnapshotsOfVolume(db, volume.id);
    const before = rows.find(({ id }) => id === params.snapshot_id);
    if (volume === undefined || before === undefined) throw new Problem('not_found');
    call.checkVersion(volumeSnapshots.etag(before));
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    volumeSnapshotLife.require('deleteVpsVolumeSnapshot', before.status, { operation: pending });
    if (before.status === 'deleting' && pending !== undefined) {
      call.follow(pending);
      call.effect({ action: 'none', ...volumeSnapshots.ref(before) });
      return accepted(presentVolumeSnapshot(before, pending, services.baseUrl));
    }
    await refuseInUse(call, [before.id]);
    const deleting = { status: 'deleting' } as const;
    const row = (await volumeSnapshots.change(db, before.id, deleting, { keepsPrice: true })) ?? before;
    const resource = volumeSnapshots.ref(row);
    const operation = await call.start({
      kind: deleteVolumeSnapshotKind,
      input: { was: before.failed_at === null ? 'available' : 'failed' },
      resource,
      subjects: [volume.id, row.id],
    });
    await volumeSnapshots.reportCost(call, [before], null);
    call.effect({ action: 'delete', ...resource, loss: forGood('The snapshot.') });
    return accepted(presentVolumeSnapshot(row, operation, services.baseUrl));
  },
});

export const volumeSnapshotEndpoints = [
  listVpsVolumeSnapshots,
  createVpsVolumeSnapshot,
  deleteVpsVolumeSnapshot,
];
