/** Starts a machine that exists already. */
import { type ComputeEngine, EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import type { Db } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import { isSameSize, sizeToGive } from '../vms/size.ts';
import type { VmRow } from '../vms/table.ts';

/**
 * Corrects the size and the rescue mode if an interrupted operation left them wrong. A size that the engine refuses
 * does not prevent the start.
 */
async function straighten(
  engine: ComputeEngine,
  row: VmRow,
  before: Instance,
  signal: AbortSignal,
): Promise<void> {
  const size = sizeToGive(row, before);
  if (!isSameSize(size, before.size))
    await engine.ensureSize(refOf(row), size, signal).catch((error: unknown) => {
      if (!(error instanceof EngineRefused)) throw error;
    });
  if (before.rescue.wanted && row.rescue_expires_at === null)
    await engine.ensureRescue(refOf(row), null, signal);
}

/** Starts the machine. Placement and cloud-init data take effect only at a start, so each start sends them again. */
export async function bringUp(
  engine: ComputeEngine,
  db: Db,
  row: VmRow,
  signal: AbortSignal,
): Promise<Instance | null> {
  const ref = refOf(row);
  const before = await engine.observeInstance(ref, signal);
  if (before !== null && before.state !== 'running') {
    await straighten(engine, row, before, signal);
    await engine.ensurePlacement(ref, await placementOf(db, row.placement_group_id, row.id), signal);
    await engine.ensureGuest(ref, guestOf(row), signal);
    await engine.ensureRunning(ref, signal);
  }
  return engine.observeInstance(ref, signal);
}
