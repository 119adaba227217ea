/** Removes snapshots of volumes from the engine and the database, also those that a restore deletes. */
import { type ComputeEngine, EngineUnreachable } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Call } from '../../../kernel/call.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import type { Tx } from '../../../store/database.ts';
import { refOf } from '../vms/guest.ts';
import type { VolumeRow } from '../volumes/table.ts';
import { volumeSnapshots } from './resource.ts';
import { snapshotsOfVolume, usersOfVolumeSnapshots } from './store.ts';

/** Throws 409 while a volume is being created from one of the snapshots, or put back to it. */
export async function refuseInUse(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<void> {
  const users = await usersOfVolumeSnapshots(db, caller.account.id, ids);
  refuseUsed(users, {
    detail: `The snapshot ${users[0]?.snapshot_id} is being used to create or restore a volume.`,
    nextStep: 'Wait until the volumes in used_by are ready, then repeat the call.',
  });
}

/** Deletes the row, inventory entry and meter of a snapshot that the engine no longer has. */
export async function forgetVolumeSnapshot(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await volumeSnapshots.erase(tx, id, { at });
  return row === undefined ? [] : [volumeSnapshots.event('deleted', row)];
}

/** Throws `EngineUnreachable`, so that the step is retried, if the engine still lists the snapshot after removal. */
export async function removeFromEngine(
  engine: ComputeEngine,
  volume: Pick<VolumeRow, 'id' | 'account_id'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await engine.removeVolumeSnapshot(refOf(volume), id, signal);
  const seen = await engine.observeVolume(refOf(volume), signal);
  if (seen?.snapshots.some((snapshot) => snapshot.id === id))
    throw new EngineUnreachable('The engine still lists the snapshot after its removal.');
}

/** Removes one snapshot for each run of the step, the newest first, so that lists show none that is gone. */
export async function removeVolumeSnapshots(
  { db, services, signal, now }: Work<unknown>,
  volume: VolumeRow,
  ids: readonly string[],
): Promise<Outcome> {
  const present = new Set((await snapshotsOfVolume(db, volume.id)).map(({ id }) => id));
  const [next, ...rest] = ids.filter((id) => present.has(id));
  if (next === undefined) return done();
  await removeFromEngine(engineAt(services.compute, volume.location), volume, next, signal);
  const commit = (tx: Tx): Promise<NewEvent[]> => forgetVolumeSnapshot(tx, next, now);
  return rest.length === 0 ? done({}, commit) : { kind: 'sleep', seconds: 0, commit };
}
