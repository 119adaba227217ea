/** Observes objects at an engine for a reconciler, with a time limit. Only two observations prove an object gone. */
import type { Db } from '../../store/database.ts';
import { type Moment, readClock } from './store.ts';

export interface Observation<T> {
  /** Read before the call to the engine. A row that changed after this moment may be newer than the observation. */
  readonly at: Moment;
  readonly seen: T | null;
}

const PATIENCE_MS = 10_000;

/** Aborts an engine call after the time limit, or when `ending` is aborted. */
export const patience = (ending?: AbortSignal): AbortSignal => {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return ending === undefined ? limit : AbortSignal.any([limit, ending]);
};

type Observe<T> = (signal: AbortSignal) => Promise<T | null>;

/** An object counts as gone only if the engine reports so twice, because no other mistake costs its owner as much. */
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
