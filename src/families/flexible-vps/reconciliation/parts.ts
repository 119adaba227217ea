/**
 * Reconciles the parts of a machine other than its power state. An interrupted operation may have left the machine with
 * another size, set to boot the rescue system or without a snapshot. Only a comparison with the row shows this drift.
 */
import type { ComputeEngine, Instance, Ref } from '../../../engines/compute/port.ts';
import { correct } from '../../../engines/reconciler/correction.ts';
import type { Moment } from '../../../engines/reconciler/store.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';
import { observeMachine } from './observed-machine.ts';
import { holdIdleMachine } from './reconcile.ts';
import type { SeenRow } from './store.ts';

/** An idle machine with its locked row, and an observation that is newer than the last change of the row. */
export interface Held {
  readonly services: Services;
  readonly tx: Tx;
  readonly row: VmRow;
  readonly seen: Instance;
  readonly at: Moment;
}

/** A call to the engine, which is made when the transaction has ended. */
export type EngineCall = (engine: ComputeEngine, signal: AbortSignal) => Promise<void>;

export interface Part {
  differs(row: SeenRow, seen: Instance): boolean;
  /** Changes the row to what the engine has, or returns the call that gives the engine what the row says. */
  align(held: Held): Promise<EngineCall | undefined>;
}

const isSettled = ({ state }: Instance): boolean => state === 'running' || state === 'stopped';

export const partsAmiss = (parts: readonly Part[], row: SeenRow, seen: Instance | null): readonly Part[] =>
  seen === null || row.is_busy || !isSettled(seen) ? [] : parts.filter((part) => part.differs(row, seen));

/** Observes the machine again, because the list of all machines may be older than the row. */
export async function alignPart(
  services: Services,
  engine: ComputeEngine,
  ref: Ref,
  part: Part,
): Promise<void> {
  const { at, seen } = await observeMachine(services, engine, ref);
  if (seen === null || !isSettled(seen)) return;
  await correct(services, async (tx) => {
    const row = await holdIdleMachine(tx, ref, at);
    if (row?.status !== seen.state) return undefined;
    const call = await part.align({ services, tx, row, seen, at });
    return call && { subjects: [row.id], act: (signal) => call(engine, signal) };
  });
}
