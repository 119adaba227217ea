/** Operations that change a volume where it is: it grows, or its content is put back to a snapshot. */
import { step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Work } from '../../../kernel/operations/kind.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import type { Tx } from '../../../store/database.ts';
import { refOf } from '../vms/guest.ts';
import { readVm } from '../vms/store.ts';
import { removeVolumeSnapshots } from '../volume-snapshots/removal.ts';
import { readVolumeSnapshot } from '../volume-snapshots/store.ts';
import { withVolume } from '../volumes/attach-kinds.ts';
import { engineOf, requireStopped } from '../volumes/engine-volume.ts';
import { settledStatus } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import { readVolume } from '../volumes/store.ts';
import type { VolumeRow } from '../volumes/table.ts';

const common = { family: 'flexible-vps', resourceType: 'volume', queue: 'attach' } as const;

const machineOf = ({ db }: Pick<Work<unknown>, 'db'>, { vm_id }: VolumeRow) =>
  vm_id === null ? undefined : readVm(db, vm_id);

async function leave(tx: Tx, id: string, through: VolumeRow['status']): Promise<undefined> {
  const row = await readVolume(tx, id);
  if (row?.status === through)
    await volumes.change(tx, id, { status: settledStatus(row) }, { keepsPrice: true });
  return undefined;
}

const ResizeInput = Shape({ size_gb: Type.Integer() });

export const resizeVolumeKind = kind<typeof ResizeInput>({
  ...common,
  type: 'volume.resize',
  input: ResizeInput,
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
  steps: [
    step(
      'grow',
      withVolume(async (work, row) => {
        const { services, signal, now } = work;
        const { size_gb } = work.input;
        const engine = engineOf(work, row);
        const reason = engine.capabilities.onlineVolumeResize;
        if (reason !== true) requireStopped(await machineOf(work, row), reason);
        await engine.ensureVolumeSize(refOf(row), size_gb, signal);
        const seen = await engine.observeVolume(refOf(row), signal);
        if (seen === null) return failed('engine_failed', 'The engine cannot find the volume.');
        if (seen.sizeGb !== size_gb)
          return failed('engine_failed', `The engine reports a volume of ${seen.sizeGb} GB.`, true);
        return done({ changed: true }, async (tx) => {
          await volumes.change(tx, row.id, { size_gb, status: settledStatus(row) }, { services, at: now });
          return [volumes.event('resized', row, { says: `has ${size_gb} GB now` })];
        });
      }),
    ),
  ],
  settle: (tx, { status, resourceId }) =>
    status === 'succeeded' ? Promise.resolve(undefined) : leave(tx, resourceId, 'resizing'),
});

const RestoreInput = Shape({
  snapshot_id: Type.String(),
  /** The newer snapshots, which are deleted before the restore, the newest first. */
  remove: Type.Array(Type.String()),
});

export const restoreVolumeKind = kind<typeof RestoreInput>({
  ...common,
  type: 'volume.restore',
  input: RestoreInput,
  typicalSeconds: 10,
  deadlineSeconds: 7200,
  cancellable: false,
  steps: [
    step(
      'remove-newer',
      withVolume(async (work, row) => {
        requireStopped(await machineOf(work, row), 'The machine of the volume must be stopped.');
        return removeVolumeSnapshots(work, row, work.input.remove);
      }),
    ),
    step(
      'restore',
      withVolume(async (work, row) => {
        const { db, input, operationId, signal } = work;
        requireStopped(await machineOf(work, row), 'The machine of the volume must be stopped.');
        const snapshot = await readVolumeSnapshot(db, input.snapshot_id);
        if (snapshot === undefined) return failed('not_found', 'The snapshot no longer exists.');
        const to = { once: operationId, snapshot: snapshot.id };
        await engineOf(work, row).ensureVolumeRestored(refOf(row), to, signal);
        return done({ changed: true }, async (tx) => {
          await leave(tx, row.id, 'restoring');
          return [volumes.event('restored', row, { says: `was put back to the snapshot ${snapshot.name}` })];
        });
      }),
    ),
  ],
  settle: (tx, { status, resourceId }) =>
    status === 'succeeded' ? Promise.resolve(undefined) : leave(tx, resourceId, 'restoring'),
});
