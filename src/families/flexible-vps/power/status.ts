/** The status of a machine while something works on it and afterwards: what the engine says, whatever the work came to. */
import { EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { noteResource } from '../../../kernel/inventory/store.ts';
import type { Outcome, Work } from '../../../kernel/operations/kind.ts';
import { failed } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db, Tx } from '../../../store/database.ts';
import type { VmRow } from '../tables.ts';
import { markRunning, markStopped } from '../vms/guest.ts';
import { vmRef } from '../vms/leaving.ts';
import type { VmState } from '../vms/lifecycle.ts';
import { noteVm } from '../vms/pricing.ts';
import { lockVmIfThere, readVm, updateVm } from '../vms/store.ts';

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
  vmId: string | null,
  from: VmState,
  former: VmState | undefined,
): Promise<undefined> {
  const row = former === undefined ? undefined : await readVm(tx, vmId ?? '');
  if (row === undefined || former === undefined) return undefined;
  const held = await lockVmIfThere(tx, row.account_id, row.id);
  if (held?.status === from) await enterStatus(tx, held, former);
  return undefined;
}

function troubleOf(row: VmRow, seen: Instance | null): NewEvent {
  return seen === null
    ? {
        type: 'vm.lost',
        resource: vmRef(row),
        message: `The machine ${row.name} is no longer where it should be.`,
      }
    : { type: 'vm.crashed', resource: vmRef(row), message: `The machine ${row.name} stopped by an error.` };
}

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
  const reason = seen === null ? 'lost' : (seen.problem ?? 'engine_failed');
  const broken = await updateVm(tx, held.id, {
    status: 'error',
    status_reason: reason,
    is_billed: false,
    started_at: null,
  });
  if (broken !== undefined) await noteVm(services, tx, broken, now);
  return [troubleOf(held, seen)];
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
    const row = await readVm(work.db, work.resource.id ?? '');
    return row === undefined ? GONE : run(work, row);
  };
