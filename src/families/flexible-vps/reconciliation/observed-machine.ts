/** Asking an engine about one machine, with an end to our patience. */
import type { ComputeEngine, Instance, Ref } from '../../../engines/compute/port.ts';
import type { Services } from '../../../kernel/services.ts';
import { type Moment, readClock } from './store.ts';

export interface Sighting {
  /** From before it was asked: what changed our row later may be what it did not see. */
  readonly at: Moment;
  readonly seen: Instance | null;
}

const PATIENCE_MS = 10_000;

export const patience = (ending?: AbortSignal): AbortSignal => {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return ending === undefined ? limit : AbortSignal.any([limit, ending]);
};

/** That something is gone is believed when it was said twice: nothing we get wrong is worse for its owner. */
export async function twice<T>(
  ask: (signal: AbortSignal) => Promise<T | null>,
  ending?: AbortSignal,
): Promise<T | null> {
  const signal = patience(ending);
  return (await ask(signal)) ?? (await ask(signal));
}

export async function sight(
  { db }: Services,
  engine: ComputeEngine,
  ref: Ref,
  ending?: AbortSignal,
): Promise<Sighting> {
  const at = await readClock(db);
  const seen = await twice((signal) => engine.observeInstance(ref, signal), ending);
  return { at, seen };
}
