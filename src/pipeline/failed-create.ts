import { isOfDownload, type OperationRow } from '../kernel/operations/schema.ts';
import { stepAfter } from '../kernel/operations/text.ts';
import { Problem } from '../kernel/problems/problem.ts';

/** The answer to a call with `on_failure=delete` that waited for a resource which was not created. */
export function failedCreate(operation: OperationRow, headers: Readonly<Record<string, string>>): Problem {
  const { id, error, status, resource_type: type, resource_name: name } = operation;
  const about = { headers, isLate: true } as const;
  const subject = name ?? `The ${type.replaceAll('_', ' ')}`;
  if (status === 'cancelled' || error === null)
    return new Problem('create_cancelled', {
      ...about,
      detail: `${subject} was not created: the operation ${id} was cancelled.`,
      extra: { operation_id: id },
    });
  return new Problem(isOfDownload(error.code) ? 'source_unusable' : 'create_failed', {
    ...about,
    detail: `${subject} was not created. ${error.detail}`,
    nextStep: error.retryable ? 'Repeat the call with a new Idempotency-Key.' : stepAfter(error, id),
    extra: { operation_id: id, operation_error: error },
  });
}
