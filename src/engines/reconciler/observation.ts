/** Observes things at an engine on behalf of a reconciler: with a time limit, and with care before a thing counts as gone. */
import type { Db } from '../../store/database.ts';
import { type Moment, readClock } from './store.ts';

export interface Observation<T> {
  /** Read before the engine was asked. A row that changed later may know more than this observation. */
  readonly at: Moment;
  readonly seen: T | null;
}

const PATIENCE_MS = 10_000;

/** Ends a call to an engine that does not answer in time, or when `ending` does. */
export const patience = (ending?: AbortSignal): AbortSignal => {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return ending === undefined ? limit : AbortSignal.any([limit, ending]);
};

type Observe<T> = (signal: AbortSignal) => Promise<T | null>;

/** A thing is believed to be gone only when the engine said so twice: no other mistake costs its owner as much. */
export async function observeTwice<T>(observe: Observe<T>, ending?: AbortSignal): Promise<T | null> {
  const signal = patience(ending);
  return (await observe(signal)) ?? (await observe(signal));
}

export async function observeNow<T>(
  { db }: { readonly db: Db },
  observe: Observe<T>,
  ending?: AbortSignal,
): Promise<Observation<T>> {
  const at = await readClock(db);
  return { at, seen: await observeTwice(observe, ending) };
}
