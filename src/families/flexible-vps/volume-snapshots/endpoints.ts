import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { creationOf, deletionOf, listOf } from '../../../resources/records/records.ts';
import { columnsOfNew, readyAtMost } from '../snapshots/new-snapshot.ts';
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
    const { db, caller, params } = call;
    const volume = await lockVolume(db, caller.account.id, params.id);
    if (volume === undefined) throw new Problem('not_found');
    const operation = (await pendingOn(db, [volume.id])).get(volume.id);
    volumeLife.require('createVpsVolumeSnapshot', volume.status, { operation });
    const columns = await columnsOfNew(call, {
      id: volume.id,
      limit: 'flexible-vps.snapshots-per-volume',
      noun: 'volume',
      others: await lockSnapshotsOfVolume(db, caller.account.id, volume.id),
    });
    const { id: volume_id, size_gb } = volume;
    const id = volumeSnapshots.newId();
    const row = await volumeSnapshots.add(call, { id, volume_id, size_gb, ...columns });
    return { row, ready: readyAtMost(call, size_gb), input: {}, subjects: [volume_id, id] };
  },
});

const deleteVpsVolumeSnapshot = deletionOf(volumeSnapshotView, {
  ...volumeSnapshotDeletion,
  id: 'deleteVpsVolumeSnapshot',
  summary: 'Delete a snapshot of a volume',
  description: 'Waits for the operations that already run on the volume.',
  problems: ['operation_queue_full', 'resource_in_use'],
  life: volumeSnapshotLife,
  async take(call) {
    const { db, caller, params } = call;
    const volume = await lockVolume(db, caller.account.id, params['id'] ?? '');
    const rows = volume === undefined ? [] : await lockSnapshotsOfVolume(db, caller.account.id, volume.id);
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
