import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { creationOf, deletionOf, listOf } from '../../../resources/records/records.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { chooseName, readExpiry } from '../snapshots/new-snapshot.ts';
import { volumeLife } from '../volumes/lifecycle.ts';
import { lockVolume } from '../volumes/store.ts';
import { createVolumeSnapshotKind, volumeSnapshotDeletion } from './kinds.ts';
import { volumeSnapshotLife } from './lifecycle.ts';
import { refuseInUse } from './removal.ts';
import { volumeSnapshots } from './resource.ts';
import { CreateVolumeSnapshot, volumeSnapshotView } from './schema.ts';
import { lockSnapshotsOfVolume } from './store.ts';

const listVpsVolumeSnapshots = listOf(volumeSnapshotView, {
  id: 'listVpsVolumeSnapshots',
  summary: 'List the snapshots of a volume',
  query: ResourceQuery({
    status: Type.Optional({ ...volumeSnapshotLife.Status, description: 'Only snapshots with this status.' }),
  }),
});

const createVpsVolumeSnapshot = creationOf(volumeSnapshotView, {
  id: 'createVpsVolumeSnapshot',
  summary: 'Take a snapshot of a volume',
  description:
    'The volume may be attached to a running machine; the snapshot is then as after a power failure. It is deleted with the volume. It is billed by the space it takes; the cost shown beforehand is the maximum, for a copy of the whole volume.',
  raisesCost: true,
  body: CreateVolumeSnapshot,
  problems: ['name_taken', 'quota_exceeded', 'operation_in_progress', 'invalid_state'],
  kind: createVolumeSnapshotKind,
  example: {
    body: { name: 'before-upgrade', labels: { env: 'prod' } },
    answer: { size_bytes: null, consistency: null },
  },
  async begin(call) {
    const { db, caller, params, body, now } = call;
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
    return {
      row,
      ready: { status: 'available', size_bytes: size_gb * BYTES_PER_GB },
      input: {},
      subjects: [volume.id, row.id],
    };
  },
});

const deleteVpsVolumeSnapshot = deletionOf(volumeSnapshotView, {
  ...volumeSnapshotDeletion,
  id: 'deleteVpsVolumeSnapshot',
  summary: 'Delete a snapshot of a volume',
  description: 'Waits for the operations that already run on the volume.',
  problems: ['operation_queue_full', 'resource_in_use'],
  life: volumeSnapshotLife,
  loss: 'The snapshot.',
  async take(call) {
    const { db, caller, params } = call;
    const volume = await lockVolume(db, caller.account.id, params['id'] ?? '');
    const rows = volume === undefined ? [] : await lockSnapshotsOfVolume(db, volume.id);
    const row = rows.find(({ id }) => id === params['snapshot_id']);
    if (row === undefined) throw new Problem('not_found');
    call.checkVersion(volumeSnapshots.etag(row));
    return row;
  },
  check: (call, row) => refuseInUse(call, [row.id]),
});

export const volumeSnapshotEndpoints = [
  listVpsVolumeSnapshots,
  createVpsVolumeSnapshot,
  deleteVpsVolumeSnapshot,
];
