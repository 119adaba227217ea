/** Removes snapshots from the engine and the database, also those that a restore or a redeploy deletes. */
import { type ComputeEngine, EngineUnreachable } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Call } from '../../../kernel/call.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import type { Tx } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';
import { snapshots } from './resource.ts';
import { readSnapshots, usersOf } from './store.ts';
import type { SnapshotRow } from './table.ts';

/** Throws 409 while a machine or image is being created from one of the snapshots, or a machine restored to it. */
export async function refuseInUse(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<void> {
  const users = await usersOf(db, caller.account.id, ids);
  refuseUsed(users, {
    detail: `The snapshot ${users[0]?.snapshot_id} is being used to create or restore another resource.`,
    nextStep: 'Wait until the resources in used_by are ready, then repeat the call.',
  });
}

/** Deletes the row, inventory entry and meter of a snapshot that the engine no longer has. */
export async function forgetSnapshot(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await snapshots.erase(tx, id, { at });
  return row === undefined ? [] : [snapshots.event('deleted', row)];
}

/** Throws `EngineUnreachable`, so that the step is retried, if the engine still lists the snapshot after removal. */
export async function removeFromEngine(
  engine: ComputeEngine,
  vm: Pick<VmRow, 'id' | 'account_id'>,
  snapshotId: string,
  signal: AbortSignal,
): Promise<void> {
  const ref = { account: vm.account_id, id: vm.id };
  await engine.removeSnapshot(ref, snapshotId, signal);
  const seen = await engine.observeInstance(ref, signal);
  if (seen?.snapshots.some(({ id }) => id === snapshotId))
    throw new EngineUnreachable('The engine still lists the snapshot after its removal.');
}

const AGAIN_SECONDS = 1;

const forgetAll =
  (rows: readonly SnapshotRow[], now: Date) =>
  async (tx: Tx): Promise<NewEvent[]> => {
    const events: NewEvent[] = [];
    for (const { id } of rows) events.push(...(await forgetSnapshot(tx, id, now)));
    return events;
  };

/**
 * Removes the snapshots in the order of `ids`, newest first. If a removal fails after others succeeded, the step first
 * commits those deletions and then retries, so that lists show no snapshot that the engine no longer has.
 */
export async function removeSnapshots(
  { db, services, signal, now }: Work<unknown>,
  vm: VmRow,
  ids: readonly string[],
): Promise<Outcome> {
  const rows = await readSnapshots(db, ids);
  const newestFirst = ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  const removed: SnapshotRow[] = [];
  for (const row of newestFirst) {
    try {
      await removeFromEngine(engineAt(services.compute, vm.location), vm, row.id, signal);
      removed.push(row);
    } catch (error) {
      if (removed.length === 0) throw error;
      return { kind: 'sleep', seconds: AGAIN_SECONDS, commit: forgetAll(removed, now) };
    }
  }
  return done({}, forgetAll(removed, now));
}
