/** What the runner needs of the store. Every call is one transaction: it happened or it did not. */
import type { Commit, Start } from '../kernel/operations/kind.ts';
import type { OperationError, OperationStatus } from '../kernel/operations/schema.ts';
import type { Ending, StoredOperation } from '../kernel/operations/store.ts';

export const LEASE_SECONDS = 30;

/** An operation in the hands of one worker, until its lease runs out. */
export interface Claimed extends StoredOperation {
  /** The database's clock when this row was read. */
  readonly read_at: Date;
}

export interface Held {
  readonly id: string;
  readonly attempt: number;
}

export interface ChildEnd {
  readonly id: string;
  readonly type: string;
  readonly status: OperationStatus;
  readonly error: OperationError | null;
  readonly result: Record<string, unknown> | null;
}

/** Where an operation goes after a step. All but `step` and `undo` give the lease back. */
export type Advance =
  | {
      readonly to: 'step';
      readonly index: number;
      readonly finished: string;
      readonly result: Readonly<Record<string, unknown>> | undefined;
      readonly commit: Commit | undefined;
    }
  | { readonly to: 'undo'; readonly deadlineSeconds: number }
  | {
      readonly to: 'sleep';
      readonly seconds: number;
      readonly waitingFor: string | null;
      readonly seenWakes: number;
      readonly commit: Commit | undefined;
    }
  | {
      readonly to: 'retry';
      readonly seconds: number;
      readonly error: OperationError;
    }
  | {
      readonly to: 'children';
      readonly step: string;
      readonly start: readonly Start[];
      readonly tolerant: boolean;
      readonly seenWakes: number;
      readonly commit: Commit | undefined;
    };

export interface RunnerStore {
  /** Only of types this worker knows: others are for a newer version. */
  claim(owner: string, limit: number): Promise<Claimed[]>;
  /** The ids whose lease was lengthened; the rest is lost. */
  renew(owner: string, held: readonly Held[]): Promise<ReadonlySet<string>>;
  /** Null: the lease was lost, and nothing of this happened. */
  advance(operation: Claimed, advance: Advance): Promise<Claimed | null>;
  /** False: the lease was lost, and nothing of this happened. */
  end(operation: Claimed, ending: Ending, commit: Commit | undefined): Promise<boolean>;
  giveBack(owner: string, held: readonly Held[], afterSeconds: number): Promise<void>;
  children(operationId: string, step: string): Promise<readonly ChildEnd[]>;
  /** How many have not ended yet. */
  cancelChildren(operationId: string): Promise<number>;
  /** Milliseconds until something is due; null when nothing is. */
  nextDue(): Promise<number | null>;
}
