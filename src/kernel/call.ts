/** The argument of every handler. It gives no access to HTTP, to drivers or to the tables of other families. */
import type { Db } from '../store/database.ts';
import type { Caller } from './access/caller.ts';
import type { ClientView } from './client.ts';
import type { CostChange, Effect, Warning } from './effect.ts';
import type { NewEvent } from './events/event.ts';
import type { Start } from './operations/kind.ts';
import type { StoredOperation } from './operations/store.ts';
import type { Services } from './services.ts';
import type { Holding } from './waiting/held-read.ts';

/** An effect outside the database. */
export interface Act {
  /** The id of the resource that the act changes. One act at a time works on it. */
  readonly subject: string;
  /** How long the call waits while another act works on the resource. Default: it is refused at once. */
  readonly patienceMs?: number;
  /** Throwing refuses the whole call. */
  perform(): Promise<void>;
  /** Called instead of `perform` if another act still works on the resource. Without it the call is refused then. */
  readonly leave?: () => void;
}

/** Collects what a handler reports while it runs. */
export interface Done {
  readonly effects: Effect[];
  readonly warnings: Warning[];
  readonly costs: CostChange[];
  readonly events: NewEvent[];
  readonly acts: Act[];
  /** Checks whose statements travel with the next one. The pipeline sends it and waits for them. */
  readonly checks: Promise<void>[];
  /** The operation that the call started or that its answer describes, if any. */
  operation: StoredOperation | null;
}

export const nothingDone = (): Done => ({
  effects: [],
  warnings: [],
  costs: [],
  events: [],
  acts: [],
  checks: [],
  operation: null,
});

/** What an endpoint may use before its transaction begins. */
export type Preparation<P = unknown, Q = unknown, B = unknown> = Pick<
  Call<P, Q, B>,
  'params' | 'query' | 'body' | 'caller' | 'services' | 'db' | 'now' | 'dryRun'
>;

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
  /** Use it only to skip work whose result a dry run throws away. The effects of a call must not depend on it. */
  readonly dryRun: boolean;
  /** Whether the caller sent an Idempotency-Key, and so decides itself which requests are the same. */
  readonly hasIdempotencyKey: boolean;
  /**
   * Throws 412 unless the caller's If-Match (if sent) names this version and its If-None-Match (if sent) does not.
   * Pass `null` if the object does not exist. Call it directly after reading the object.
   */
  checkVersion(etag: string | null): void;
  effect(effect: Effect): void;
  /** Shown by a dry run, by the answer and by the operation that the call starts after it. */
  warn(warning: Warning): void;
  /** Reports by how much the call raises or lowers the running cost. `Owned` computes the difference. */
  cost(cost: CostChange): void;
  /** The event is written in the transaction of the call. */
  event(event: NewEvent): void;
  /**
   * For the rare effect that is not a row and whose result is part of the answer. When all checks and the approval
   * have passed, the transaction is rolled back, the act is performed, and the handler runs again to write its rows.
   * Values that the act needs and that differ from run to run, such as passwords, come from `prepare`. A dry run
   * performs no act. It must be idempotent: the call may still fail after it.
   */
  act(act: Act): void;
  /**
   * For the last check of a handler: its statement is sent with that of the budgets, so that a lock which it takes is
   * held for one round trip less. If the check fails, the call is refused with its problem.
   */
  checkLater(check: Promise<void>): void;
  /** Starts an operation, which runs on after this call. Throws 409 if the kind's queue rule does not allow it now. */
  start<I>(start: Start<I>): Promise<StoredOperation>;
  /** Declares that the answer describes this operation, which another call started. */
  follow(operation: StoredOperation): void;
  /**
   * Reads once. If the caller asked to wait, reads again after every notification until `isDone` or the time is over.
   * Only for reads: a write would keep its transaction open meanwhile.
   */
  hold<T>(holding: Holding<T>): Promise<T>;
}
