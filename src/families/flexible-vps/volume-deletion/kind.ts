/** The operation that deletes a volume with its snapshots, after its machine has lost it. */
import { step } from '../../../engines/engine-step.ts';
import { done, failed, kind } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { readVm } from '../vms/store.ts';
import { detached } from '../volumes/attach-kinds.ts';
import { engineOf, removeVolume, unplugVolume } from '../volumes/engine-volume.ts';
import { settledStatus, volumeLife } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import { readVolume } from '../volumes/store.ts';
import { forgetVolume } from './removal.ts';

const LOOK_AGAIN_SECONDS = 2;

const Input = Shape({
  /** Whether a machine that has the volume loses it first. */
  detach: Type.Boolean(),
  /** The status before the deletion. */
  was: volumeLife.Status,
});

export const deleteVolumeKind = kind<typeof Input>({
  family: 'flexible-vps',
  resourceType: 'volume',
  type: 'volume.delete',
  // Starts after a detachment that is under way.
  queue: 'attach',
  input: Input,
  typicalSeconds: 5,
  // The same as for the deletion of a machine, because this operation waits for such deletions.
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [
    step('detach', async (work) => {
      const { db, resourceId, input } = work;
      const row = await readVolume(db, resourceId);
      const vmId = row?.vm_id ?? null;
      if (row === undefined || vmId === null) return done();
      const vm = await readVm(db, vmId);
      if (vm?.status === 'deleting') return { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'vm' };
      if (!input.detach)
        return failed('resource_in_use', `The machine ${vm?.name ?? vmId} still has the volume.`);
      await unplugVolume(work, row, vmId, true);
      return done({}, (tx) => detached(tx, row, vm, { status: 'deleting', vm_id: null }));
    }),
    step('remove', async (work) => {
      const { db, resourceId, signal, now } = work;
      const row = await readVolume(db, resourceId);
      if (row === undefined) return done({ changed: true });
      await removeVolume(engineOf(work, row), row, signal);
      return done({ changed: true }, (tx) => forgetVolume(tx, row.id, now));
    }),
  ],
  async settle(tx, { id, status, resourceId, error }, { was }) {
    const row = status === 'succeeded' ? undefined : await readVolume(tx, resourceId);
    if (row === undefined) return undefined;
    // Before the step `remove`, the engine still has the whole volume.
    const isWhole = was !== 'error' && (await readOperation(tx, id))?.step !== 'remove';
    const after = isWhole
      ? ({ status: settledStatus(row) } as const)
      : ({ status: 'error', status_reason: error?.code ?? row.status_reason } as const);
    await volumes.change(tx, row.id, after, { keepsPrice: true });
    return undefined;
  },
});
