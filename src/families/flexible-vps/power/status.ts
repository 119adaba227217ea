/** The status of a machine while something works on it and afterwards: what the engine says, whatever the work came to. */
import { EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import type { Outcome, Work } from '../../../kernel/operations/kind.ts';
import { failed } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { noteResource } from '../../../resources/inventory/store.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { eventOf, judge, type Verdict } from '../reconciliation/verdict.ts';
import { markRunning, markStopped } from '../vms/guest.ts';
import { noteVm } from '../vms/inventory.ts';
import type { VmState } from '../vms/lifecycle.ts';
import { lockVmIfThere, readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

/** The price of the moment goes on until it is known what became of it. */
export async function enterStatus(db: Db, row: VmRow, status: VmState): Promise<VmRow> {
  const changed = await updateVm(db, row.id, { status });
  if (changed === undefined) throw new Error(`The row of ${row.id} is held, and yet it is gone.`);
  await noteResource(db, {
    id: row.id,
    account_id: row.account_id,
    family: 'flexible-vps',
    type: 'vm',
    name: row.name,
    status,
    location: row.location,
    labels: row.labels,
    parent_id: null,
  });
  return changed;
}

/** For `settle`: back to what it was, unless a step wrote what is true or the machine is being deleted. */
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

/** Where the engine cannot tell either: as soon as it can, the row follows. */
const UNCLEAR: Verdict = { status: 'error', status_reason: 'crashed', is_billed: false };

/**
 * In the commit of a step: the status that the engine tells. Undefined: it is no longer `from`, because it is being
 * deleted, and whoever does that says what it is.
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

/** What the engine refused for good; silence is thrown on, to be asked again. */
export async function refusalOf(ask: () => Promise<unknown>): Promise<OperationError | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    return { code: error.code, detail: error.message, retryable: false };
  }
}

export const GONE: Outcome = failed('not_found', 'The machine is gone.');

export const withVm =
  <I>(run: (work: Work<I>, row: VmRow) => Promise<Outcome>) =>
  async (work: Work<I>): Promise<Outcome> => {
    const row = await readVm(work.db, work.resourceId);
    return row === undefined ? GONE : run(work, row);
  };
