/** The queries that the runner needs. Every call is one transaction, so it has its full effect or none. */
import type { Child, Commit } from '../kernel/operations/kind.ts';
import type { OperationError, OperationStatus } from '../kernel/operations/schema.ts';
import type { Ending, StoredOperation } from '../kernel/operations/store.ts';
import type { Slots } from './claims/slots.ts';

export const LEASE_SECONDS = 30;

/** An operation that one worker holds until its lease expires. */
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

/**
 * The state that an operation moves to after a step. All but `step` and `undo` give the lease back; these two do if the
 * next step runs in another lane.
 */
export type Advance =
  | {
      readonly to: 'step';
      readonly index: number;
      readonly finished: string;
      readonly result: Readonly<Record<string, unknown>> | undefined;
      readonly commit: Commit | undefined;
    }
  | {
      readonly to: 'undo';
      readonly deadlineSeconds: number;
      /** Why the forward steps failed; null if the operation was cancelled. */
      readonly failure: OperationError | null;
    }
  | {
      readonly to: 'sleep';
      readonly seconds: number;
      readonly waitingFor: string | null;
      /** Stored as the result of this step, until the step ends with another one. */
      readonly kept?: { readonly step: string; readonly values: Readonly<Record<string, unknown>> };
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
      readonly start: readonly Child[];
      readonly tolerant: boolean;
      readonly seenWakes: number;
      readonly commit: Commit | undefined;
    };

export interface Renewed {
  /** A cancel request has arrived, and the operation can still be undone. */
  readonly isUnwanted: boolean;
}

export interface Outlook {
  /** Milliseconds until an operation becomes due or a lease expires; null if there is none. */
  readonly ms: number | null;
  /** Operations are due, but run nowhere: their groups are full, or another worker claims them at this moment. */
  readonly isDueNow: boolean;
}

export interface RunnerStore {
  /** Claims only operations of types that this worker knows: other types belong to a newer version. */
  claim(owner: string, slots: Slots): Promise<Claimed[]>;
  /** Returns the operations whose lease was renewed; the leases of the others are lost. */
  renew(owner: string, held: readonly Held[]): Promise<ReadonlyMap<string, Renewed>>;
  /** Returns null if the lease was lost; then nothing was written. */
  advance(operation: Claimed, advance: Advance): Promise<Claimed | null>;
  /** Returns false if the lease was lost; then nothing was written. */
  end(operation: Claimed, ending: Ending, commit: Commit | undefined): Promise<boolean>;
  giveBack(owner: string, held: readonly Held[], afterSeconds: number): Promise<void>;
  children(operationId: string, step: string): Promise<readonly ChildEnd[]>;
  /** Cancels the children and returns how many of them have not ended yet. */
  cancelChildren(operationId: string): Promise<number>;
  lookAhead(): Promise<Outlook>;
}
