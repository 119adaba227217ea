/** The errors with which operations fail. */
import type { Logger } from 'pino';
import type { OperationError } from '../kernel/operations/schema.ts';
import type { Ending } from '../kernel/operations/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { isUnavailable } from '../store/unavailable.ts';
import type { ChildEnd, Claimed } from './runner-store.ts';

/** An unexpected error is probably a bug, which more retries would not fix. */
const MOST_FAULTS = 10;

/** The error of an operation whose step threw. */
export function errorOf(error: unknown, { id, type, step, tries }: Claimed, log: Logger): OperationError {
  if (error instanceof Problem)
    return { code: error.code, detail: error.message, retryable: error.status >= 500 };
  const isPassing = isUnavailable(error);
  log.warn({ err: error, operation_id: id, type, step, tries }, 'step failed');
  const detail = isPassing
    ? 'The database did not answer.'
    : 'An internal error; the provider finds it in the log.';
  return { code: 'internal_error', detail, retryable: isPassing || tries + 1 < MOST_FAULTS };
}

export function childFailure({ id, type, error, status }: ChildEnd): OperationError {
  const detail = `${type} (${id}) ${status === 'cancelled' ? 'was cancelled' : 'failed'}${error === null ? '' : `: ${error.detail}`}`;
  return { code: error?.code ?? 'child_failed', detail, retryable: error?.retryable ?? true };
}

/** `undoSeconds`: how long the undo steps of its kind may take. A call may have set a deadline of its own for the others. */
export function lateError(operation: Claimed, undoSeconds: number): OperationError {
  const { step, last_error, phase, deadline_at, created_at } = operation;
  const seconds = Math.round((deadline_at.getTime() - created_at.getTime()) / 1000);
  const what = phase === 'undo' ? `Not rolled back within ${undoSeconds}` : `Not finished within ${seconds}`;
  const last = last_error === null ? '' : ` The last try failed: ${last_error.detail}`;
  const detail = `${what} seconds; it was at the step ${step}.${last}`;
  return { code: 'timeout', detail, retryable: true };
}

/** The end of a failed operation whose call wanted nothing to stay, and nothing stayed. */
export const undone = (error: OperationError): Ending => ({
  status: 'failed',
  error,
  result: null,
  isUndone: true,
});

/** The first failure explains more than that of the removal, which is added to it. */
export const notRemoved = (failure: OperationError, { detail }: OperationError): OperationError => ({
  ...failure,
  detail: `${failure.detail} What was created could not be removed, and is still there: ${detail}`,
});
