import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, NoInput, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { StatusBefore, statusBefore, takeBack } from '../../../resources/records/deletion.ts';
import { refOf } from '../vms/guest.ts';
import { readVolume } from '../volumes/store.ts';
import { forgetVolumeSnapshot, removeFromEngine } from './removal.ts';
import { volumeSnapshots } from './resource.ts';
import { readVolumeSnapshot } from './store.ts';
import type { VolumeSnapshotRow } from './table.ts';

const common = { family: 'flexible-vps', resourceType: 'volume_snapshot' } as const;

async function readPair({ db, resourceId }: Pick<Work<unknown>, 'db' | 'resourceId'>) {
  const row = await readVolumeSnapshot(db, resourceId);
  const volume = row && (await readVolume(db, row.volume_id));
  return row === undefined || volume === undefined ? undefined : { row, volume };
}

async function take(work: Work<unknown>): Promise<Outcome> {
  const { services, signal, now } = work;
  const pair = await readPair(work);
  if (pair === undefined) return failed('not_found', 'The volume is gone.');
  const { row, volume } = pair;
  const engine = engineAt(services.compute, volume.location);
  if ((await engine.observeVolume(refOf(volume), signal)) === null)
    return failed('engine_failed', 'The engine cannot find the volume.');
  await engine.ensureVolumeSnapshot(refOf(volume), row.id, signal);
  const after = await engine.observeVolume(refOf(volume), signal);
  const seen = after?.snapshots.find(({ id }) => id === row.id);
  if (seen === undefined)
    return failed('engine_failed', 'The engine took the snapshot, but does not list it.', true);
  return done({}, async (tx) => {
    const change = {
      status: 'available',
      size_bytes: seen.sizeBytes,
      size_gb: seen.diskGb,
      consistency: seen.consistency,
    } as const;
    const taken = await volumeSnapshots.change(tx, row.id, change, { services, at: now });
    return taken === undefined
      ? []
      : [volumeSnapshots.event('created', row, { says: `of ${volume.name} is ready` })];
  });
}

async function takeAway(work: Work<unknown>): Promise<Outcome> {
  const pair = await readPair(work);
  if (pair === undefined) return done();
  const engine = engineAt(work.services.compute, pair.volume.location);
  await removeFromEngine(engine, pair.volume, pair.row.id, work.signal);
  return done();
}

async function remove(work: Work<unknown>): Promise<Outcome> {
  await takeAway(work);
  return done({}, (tx) => forgetVolumeSnapshot(tx, work.resourceId, work.now));
}

export const createVolumeSnapshotKind = kind<typeof NoInput>({
  ...common,
  type: 'volume_snapshot.create',
  queue: 'exclusive',
  input: NoInput,
  typicalSeconds: 5,
  deadlineSeconds: 1800,
  cancellable: true,
  steps: [step('take', take)],
  undo: [step('take-away', takeAway)],
  erase: (tx, id) => forgetVolumeSnapshot(tx, id, new Date()),
  provisions: 'volume_snapshots',
  async settle(tx, { status, resourceId: id, error }) {
    if (status !== 'failed') return undefined;
    const row = await volumeSnapshots.change(tx, id, { status: 'failed', failed_at: new Date() });
    const volume = row && (await readVolume(tx, row.volume_id));
    if (row === undefined || volume === undefined) return undefined;
    const message = `The snapshot ${row.name} of ${volume.name} could not be taken: ${error?.detail ?? ''}`;
    return [volumeSnapshots.event('failed', row, { message })];
  },
});

/** Starts after the operations that are queued on the volume. */
export const deleteVolumeSnapshotKind = kind<typeof StatusBefore>({
  ...common,
  type: 'volume_snapshot.delete',
  queue: 'attach',
  input: StatusBefore,
  typicalSeconds: 5,
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [step('remove', remove)],
  settle: takeBack(volumeSnapshots),
});

export const volumeSnapshotDeletion = {
  kind: deleteVolumeSnapshotKind,
  input: statusBefore,
  subjects: ({ volume_id, id }: VolumeSnapshotRow) => [volume_id, id],
};
