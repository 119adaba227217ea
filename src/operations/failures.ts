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

/** The seconds that the call gave to the operation, as long as it goes forward: `undo` then gets as many again. */
export const secondsOf = ({ deadline_at, created_at }: Claimed): number =>
  Math.round((deadline_at.getTime() - created_at.getTime()) / 1000);

export function lateError(operation: Claimed): OperationError {
  const { step, last_error, phase } = operation;
  const what =
    phase === 'undo' ? 'Not rolled back in time' : `Not finished within ${secondsOf(operation)} seconds`;
  const last = last_error === null ? '' : ` The last try failed: ${last_error.detail}`;
  const detail = `${what}; it was at the step ${step}.${last}`;
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
