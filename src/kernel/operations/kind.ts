/**
 * A kind of operation: a named list of steps with typed input. Families define kinds, endpoints name the kind they
 * start, and the runner executes them. A step may be started any number of times and by any worker, but its commit
 * happens once.
 */
import type { Db, Tables, Tx } from '../../store/database.ts';
import type { NewEvent } from '../events/event.ts';
import type { ResourceRef } from '../resource-ref.ts';
import { Shape, type Static, type TSchema, Type } from '../schema.ts';
import type { Services } from '../services.ts';
import type { OperationError } from './schema.ts';

/**
 * How operations share a subject (a resource with a queue). `exclusive` is refused while any operation is queued or
 * running on the subject, `attach` waits for its turn, `destroy` is always accepted and cancels operations that have
 * not started, `free` joins no queue.
 */
export type Queue = 'exclusive' | 'attach' | 'destroy' | 'free';

/** The most operations that may wait for one subject. */
export const QUEUE_LENGTH = 8;

/**
 * The slots of a worker that an operation uses. `foreign`: its step waits for a server that is not ours. `undo`: it is
 * cancelled or runs its undo steps, which neither waits behind the operations that go forward. `own`: all others.
 */
export const lanes = ['own', 'foreign', 'undo'] as const;
export type Lane = (typeof lanes)[number];

export interface Ended {
  readonly id: string;
  readonly type: string;
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly resource: ResourceRef;
  /** The id of the resource. Throws for kinds without a single resource, such as an action on many machines. */
  readonly resourceId: string;
  readonly error: OperationError | null;
  readonly result: Readonly<Record<string, unknown>> | null;
}

export interface Work<I> {
  readonly operationId: string;
  readonly accountId: string;
  readonly resource: ResourceRef;
  /** The id of the resource. Throws for kinds without a single resource, such as an action on many machines. */
  readonly resourceId: string;
  readonly input: I;
  /** The results of earlier steps, by step name. */
  readonly results: Readonly<Record<string, unknown>>;
  /** What this step kept when it went to sleep; empty if it has not slept. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** How often this step was tried before. */
  readonly tries: number;
  /** The time of the database clock. */
  readonly now: Date;
  /** Aborted when the result is no longer needed: lease lost, deadline over, shutdown, cancelled. */
  readonly signal: AbortSignal;
  /** For reads only; writes belong into `commit`. */
  readonly db: Db;
  readonly services: Services;
}

/** Runs in the transaction that commits the step; the events it returns are written with it. */
export type Commit = (tx: Tx) => Promise<readonly NewEvent[] | undefined>;

export interface Start<I> {
  readonly kind: Kind<I>;
  readonly input: NoInfer<I>;
  readonly resource: ResourceRef;
  readonly subjects?: readonly string[];
  /** The name of the foreign server that the foreign steps wait for, such as the host of a download. */
  readonly server?: string;
  /** This transaction inserted the resource, so no other operation can work on it. */
  readonly isNew?: true;
  /** Replaces the deadline of the kind, for the steps and for the undo steps. */
  readonly deadlineSeconds?: number;
  /** The operation starts by waiting: it is `running`, but no worker claims it before this time or a wake-up. */
  readonly waits?: { readonly for: string; readonly seconds: number };
  /** The resource already is as requested: the operation ends when it is created, with `changed: false`. */
  readonly unchanged?: true;
  /** The call itself made the whole change: the operation ends when it is created, with `changed: true`. */
  readonly changedAtOnce?: true;
}

/** The start of a child operation, made by `child`, so that children of several kinds fit into one list. */
export type Child = Start<never>;

export const child = <I>(start: Start<I>): Child => start as unknown as Child;

export type Outcome =
  | {
      readonly kind: 'done';
      /** Available to later steps. The result of the last step is the result of the operation. */
      readonly result?: Readonly<Record<string, unknown>>;
      readonly commit?: Commit;
    }
  /** Runs this step again after that time, or sooner if `wakeOperations` is called. */
  | {
      readonly kind: 'sleep';
      readonly seconds: number;
      readonly waitingFor?: string;
      /** What the next run of this step gets as `kept`. If it is left out, the next run gets the same as this one. */
      readonly keep?: Readonly<Record<string, unknown>>;
      readonly commit?: Commit;
    }
  /** Starts child operations. The step is done when all have ended. Unless `tolerant`, it fails if one of them did. */
  | {
      readonly kind: 'children';
      readonly start: readonly Child[];
      readonly tolerant?: true;
      readonly commit?: Commit;
    }
  | { readonly kind: 'failed'; readonly error: OperationError };

export interface Step<I> {
  readonly name: string;
  /** Once this step starts, the operation can no longer be cancelled. */
  readonly final?: true;
  /**
   * This step waits for a server that is not ours: a download, an upload, the object store. It runs in slots of its own,
   * and only such a step gets the services that reach foreign servers (`src/operations/step-services.ts`). A function
   * decides it for each operation.
   */
  readonly foreign?: true | ((known: Pick<Work<I>, 'input' | 'results'>) => boolean);
  readonly run: (work: Work<I>) => Promise<Outcome>;
}

/** Tables of resources that operations create. The column is null until the resource came into being. */
type ProvisionedTable = {
  [T in keyof Tables]: Tables[T] extends { provisioned_at?: unknown } ? T : never;
}[keyof Tables];

/**
 * `I` is the type of the input. Kinds with any input are a plain `Kind`: the registry and the runner use it, and no
 * operation can be started with it, because no value has the type `never`.
 */
export interface Kind<I = never> {
  /** For example `vm.create`. */
  readonly type: string;
  readonly family: string;
  readonly resourceType: string;
  readonly queue: Queue;
  /** The input is checked when an operation starts. */
  readonly input: TSchema;
  readonly typicalSeconds: number;
  /** The operations of this kind work in several locations, or in none, so they count for no single location. */
  readonly everywhere?: true;
  /** After this time the operation fails with `timeout`. A call that needs more or less time says so in `Start`. */
  readonly deadlineSeconds: number;
  readonly cancellable: boolean;
  /** The total number of children, for kinds that start them in several batches. */
  readonly plannedChildren?: (input: I) => number;
  readonly steps: readonly Step<I>[];
  /**
   * The steps that remove from engines what was created. They run instead of the remaining steps if the operation is
   * cancelled, and after a failure if its call asked for `on_failure=delete`.
   */
  readonly undo?: readonly Step<I>[];
  /** Runs in the transaction that ends the operation, and sets the resource to its resulting status. */
  readonly settle?: (tx: Tx, ended: Ended, input: I) => Promise<readonly NewEvent[] | undefined>;
  /**
   * For kinds that create their resource: deletes all its rows, after `undo` and `settle`, in the transaction that ends
   * the operation. Returns the event that it was deleted. The rows may be gone already.
   */
  readonly erase?: (tx: Tx, resourceId: string) => Promise<readonly NewEvent[]>;
  /** The table of a resource that the operation brings into being: `provisioned_at` is set when it succeeds. */
  readonly provisions?: ProvisionedTable;
}

/** The input of kinds that need none: `{}`. */
export const NoInput = Type.Unsafe<Record<string, never>>(Shape({}));

/** The type of the input comes from its schema: `kind<typeof Input>({ input: Input, … })`. */
export const kind = <S extends TSchema>(
  definition: Kind<Static<S>> & { readonly input: S },
): Kind<Static<S>> => definition;

export const done = (result?: Readonly<Record<string, unknown>>, commit?: Commit): Outcome => ({
  kind: 'done',
  ...(result === undefined ? {} : { result }),
  ...(commit === undefined ? {} : { commit }),
});

export const failed = (code: OperationError['code'], detail: string, retryable = false): Outcome => ({
  kind: 'failed',
  error: { code, detail, retryable },
});
