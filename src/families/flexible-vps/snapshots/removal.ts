/** Snapshots that leave with something else: with a restore to an older one, or with the disk they are of. */
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

/** Throws 409 while a machine or an image is being made from one of them, or a machine is put back to it. */
export async function refuseInUse(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<void> {
  const users = await usersOf(db, caller.account.id, ids);
  refuseUsed(users, {
    detail: `${users[0]?.snapshot_id} is read by what is being made from it.`,
    nextStep: 'Wait until what is in used_by is made, then repeat the call.',
  });
}

/** What is left of it besides the bytes. */
export async function forgetSnapshot(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await snapshots.erase(tx, id, { at });
  return row === undefined ? [] : [snapshots.event('deleted', row)];
}

/** Gone, and seen to be gone. */
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
    throw new EngineUnreachable('The snapshot is still there though it was removed.');
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
 * The newest first. Where it gets stuck half-way, those that are gone are written down before anything else: what is
 * listed is there.
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
