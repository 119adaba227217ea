/** Sets the status of a machine while an operation runs. Afterwards the status is the state that the engine reports. */
import { EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import type { Outcome, Work } from '../../../kernel/operations/kind.ts';
import { failed } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { markRunning, markStopped } from '../vms/guest.ts';
import { noteVm } from '../vms/inventory.ts';
import type { VmState } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere, readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { eventOf, judge, type Verdict } from '../vms/verdict.ts';

/** Does not change the price: the machine is billed as before until the operation writes the result. */
export async function enterStatus(db: Db, row: VmRow, status: VmState): Promise<VmRow> {
  const changed = await vms.change(db, row.id, { status }, { keepsPrice: true });
  if (changed === undefined) throw new Error(`The row of ${row.id} is locked, but does not exist.`);
  return changed;
}

/**
 * For `settle`: sets the status back to `former`. Does nothing if a step wrote the real status or the machine is being
 * deleted.
 */
export async function leaveStatus(
  tx: Tx,
  vmId: string,
  from: VmState,
  former: VmState | undefined,
): Promise<undefined> {
  const row = former === undefined ? undefined : await readVm(tx, vmId);
  if (row === undefined || former === undefined) return undefined;
  const held = await lockVmIfThere(tx, row.account_id, row.id);
  if (held?.status === from) await enterStatus(tx, held, former);
  return undefined;
}

/** Used if the engine cannot determine the state. Reconciliation updates the row when the engine can. */
const UNCLEAR: Verdict = { status: 'error', status_reason: 'crashed', is_billed: false };

/**
 * Called in the commit of a step: writes the status that the engine reports. Returns undefined, and writes nothing, if
 * the status is no longer `from`: then the machine is being deleted, and the deletion sets its status.
 */
export async function writeStatus(
  services: Services,
  tx: Tx,
  row: VmRow,
  from: VmState,
  seen: Instance | null,
  now: Date,
): Promise<NewEvent[] | undefined> {
  const held = await lockVmIfThere(tx, row.account_id, row.id);
  if (held?.status !== from) return undefined;
  if (seen?.state === 'running') {
    await markRunning(services, tx, held, seen, now);
    return [];
  }
  if (seen?.state === 'stopped') {
    await markStopped(services, tx, held.id, now);
    return [];
  }
  const verdict = judge(held, seen) ?? UNCLEAR;
  const broken = await updateVm(tx, held.id, { ...verdict, started_at: null });
  if (broken !== undefined) await noteVm(services, tx, broken, now);
  return [eventOf(held, verdict)].filter((event) => event !== undefined);
}

/**
 * Returns what `ask` returns, or the error if the engine refuses a call. If the engine does not answer, throws: the step
 * is retried.
 */
export async function tryEngine<T>(
  ask: () => Promise<T>,
): Promise<{ readonly value: T | null; readonly refused: OperationError | null }> {
  try {
    return { value: await ask(), refused: null };
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    return { value: null, refused: { code: error.code, detail: error.message, retryable: false } };
  }
}

export const refusalOf = async (ask: () => Promise<unknown>): Promise<OperationError | null> =>
  (await tryEngine(ask)).refused;

export const GONE: Outcome = failed('not_found', 'The machine is gone.');

export const withVm =
  <I>(run: (work: Work<I>, row: VmRow) => Promise<Outcome>) =>
  async (work: Work<I>): Promise<Outcome> => {
    const row = await readVm(work.db, work.resourceId);
    return row === undefined ? GONE : run(work, row);
  };
