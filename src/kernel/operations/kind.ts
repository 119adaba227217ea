/**
 * A kind of work that outlives its request: a named list of steps with typed input. Families write kinds, endpoints
 * name the one they start, the runner carries them out. A step may be begun any number of times and by any worker;
 * what it commits happens once.
 */
import type { Db, Tx } from '../../store/database.ts';
import type { NewEvent } from '../events/event.ts';
import type { ResourceRef } from '../resource-ref.ts';
import type { TSchema } from '../schema.ts';
import type { Services } from '../services.ts';
import type { OperationError } from './schema.ts';

/**
 * How it shares its subjects with others. `exclusive` is refused while anything is queued or running there, `attach`
 * waits its turn, `destroy` is always taken and drops whatever has not begun, `free` takes no place in any queue.
 */
export type Queue = 'exclusive' | 'attach' | 'destroy' | 'free';

/** At most so many of the class `attach` wait for one subject. */
export const QUEUE_LENGTH = 8;

export interface Ended {
  readonly id: string;
  readonly type: string;
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly resource: ResourceRef;
  /** The id of the resource. Throws in kinds that are about none, such as an action on many machines. */
  readonly resourceId: string;
  readonly error: OperationError | null;
  readonly result: Readonly<Record<string, unknown>> | null;
}

export interface Work<I> {
  readonly operationId: string;
  readonly accountId: string;
  readonly resource: ResourceRef;
  /** The id of the resource. Throws in kinds that are about none, such as an action on many machines. */
  readonly resourceId: string;
  readonly input: I;
  /** What earlier steps finished with, by their names. */
  readonly results: Readonly<Record<string, unknown>>;
  /** How often this very step was tried before. */
  readonly tries: number;
  /** As the database sees it. */
  readonly now: Date;
  /** Aborted when the result would no longer be wanted: lease lost, deadline over, shutting down, cancelled. */
  readonly signal: AbortSignal;
  /** For reading; what is to be written goes into `commit`. */
  readonly db: Db;
  readonly services: Services;
}

/** Runs in the transaction that commits the step; the events it returns are written with it. */
export type Commit = (tx: Tx) => Promise<readonly NewEvent[] | undefined>;

export interface Start {
  readonly kind: Kind;
  readonly input: unknown;
  readonly resource: ResourceRef;
  readonly subjects?: readonly string[];
  /** It begins by waiting: seen as running from the start, and nobody looks at it before that unless there is news. */
  readonly waits?: { readonly for: string; readonly seconds: number };
  /** All is as wanted already: it ends as soon as it is there, with `changed: false`. */
  readonly unchanged?: true;
  /** So it does, but with `changed: true`: the call itself changed all there was to change. */
  readonly changedAtOnce?: true;
}

export type Outcome =
  | {
      readonly kind: 'done';
      /** Kept for later steps; that of the last step is the result of the operation. */
      readonly result?: Readonly<Record<string, unknown>>;
      readonly commit?: Commit;
    }
  /** Begin this step again at that time, or sooner when somebody has news (`wakeOperations`). */
  | {
      readonly kind: 'sleep';
      readonly seconds: number;
      readonly waitingFor?: string;
      readonly commit?: Commit;
    }
  /** This step is done when all of them have ended; it fails with the first that failed unless `tolerant`. */
  | {
      readonly kind: 'children';
      readonly start: readonly Start[];
      readonly tolerant?: true;
      readonly commit?: Commit;
    }
  | { readonly kind: 'failed'; readonly error: OperationError };

export interface Step<I> {
  readonly name: string;
  /** From its beginning on, the operation can no longer be cancelled. */
  readonly final?: true;
  run(work: Work<I>): Promise<Outcome>;
}

export interface KindDefinition<I> {
  /** `vm.create` */
  readonly type: string;
  readonly family: string;
  readonly resourceType: string;
  readonly queue: Queue;
  readonly input: TSchema;
  readonly typicalSeconds: number;
  /** Past it the operation fails, truthfully. */
  readonly deadlineSeconds: number;
  readonly cancellable: boolean;
  /** How many operations it will start, where they are started bit by bit. */
  plannedChildren?(input: I): number;
  readonly steps: readonly Step<I>[];
  /** What a cancelled operation runs instead of the rest: the way to take down what the steps put up. */
  readonly undo?: readonly Step<I>[];
  /** In the transaction that ends it: brings the resource to the status that is now true. */
  settle?(tx: Tx, ended: Ended, input: I): Promise<readonly NewEvent[] | undefined>;
}

/** With the type of its input erased, as the registry and the runner see it. */
export interface Kind extends KindDefinition<unknown> {}

export function kind<I>(definition: KindDefinition<I>): Kind {
  return definition as unknown as Kind;
}

export const done = (result?: Readonly<Record<string, unknown>>, commit?: Commit): Outcome => ({
  kind: 'done',
  ...(result === undefined ? {} : { result }),
  ...(commit === undefined ? {} : { commit }),
});

export const failed = (code: OperationError['code'], detail: string, retryable = false): Outcome => ({
  kind: 'failed',
  error: { code, detail, retryable },
});
