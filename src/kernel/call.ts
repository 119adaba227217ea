/** What a handler is handed. It never sees HTTP, a driver or another family's tables. */
import type { Db } from '../store/database.ts';
import type { Caller } from './access/caller.ts';
import type { ClientView } from './client.ts';
import type { Cost, Effect, Warning } from './effect.ts';
import type { NewEvent } from './events/event.ts';
import type { Start } from './operations/kind.ts';
import type { StoredOperation } from './operations/store.ts';
import type { Services } from './services.ts';
import type { Holding } from './waiting/holding.ts';

/** Throws to refuse the whole call. */
export type Act = () => Promise<void>;

/** What a handler reported while it ran. */
export interface Done {
  readonly effects: Effect[];
  readonly warnings: Warning[];
  readonly costs: Cost[];
  readonly events: NewEvent[];
  readonly acts: Act[];
  /** The operation it started or is about, if any. */
  operation: StoredOperation | null;
}

export const nothingDone = (): Done => ({
  effects: [],
  warnings: [],
  costs: [],
  events: [],
  acts: [],
  operation: null,
});

export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  readonly client: ClientView;
  /** A transaction for writes, the pool for reads. */
  readonly db: Db;
  readonly services: Services;
  readonly requestId: string;
  readonly now: Date;
  /** Only for sparing work whose result nobody would see: what a call does must not depend on it. */
  readonly dryRun: boolean;
  /**
   * Throws 412 unless the caller's If-Match (if any) names this version and its If-None-Match (if any) does not; `null`
   * where there is nothing yet. Call it right after looking for the object.
   */
  checkVersion(etag: string | null): void;
  effect(effect: Effect): void;
  warn(warning: Warning): void;
  /** What the call would add to the running cost. */
  cost(cost: Cost): void;
  /** Written with the effect, in its transaction. */
  event(event: NewEvent): void;
  /**
   * For the rare effect that is not a row and whose result the answer holds: done when all else is checked and approved,
   * never in a dry run, before anything is answered. It may be done although the call then fails, and again when the
   * transaction is, so it has to be one that a repeat makes good. It must not take long: the transaction waits for it.
   */
  act(act: Act): void;
  /** Starts the work that outlives this call: refused as the kind's queue says. */
  start(start: Start): Promise<StoredOperation>;
  /** The answer is about this operation, which another call started. */
  follow(operation: StoredOperation): void;
  /**
   * Looks, and where the caller is willing to wait, looks again at every news until it is done or the time is over.
   * For reads: a write would keep its transaction open meanwhile.
   */
  hold<T>(holding: Holding<T>): Promise<T>;
}
