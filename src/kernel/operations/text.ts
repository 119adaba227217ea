/** An operation in words, for programs that print an answer as it is. */
import { problems } from '../problems/catalogue.ts';
import type { OperationView } from './schema.ts';

const statusWords: Readonly<Record<OperationView['status'], string>> = {
  queued: 'is queued',
  running: 'is running',
  cancelling: 'is being cancelled',
  succeeded: 'has succeeded',
  failed: 'has failed',
  cancelled: 'was cancelled',
};

type Failure = NonNullable<OperationView['error']>;

/** What to do after work failed that a call had started. */
export function stepAfter({ code, retryable }: Failure, operationId: string): string {
  if (retryable) return 'Try the same again.';
  const known = Object.entries(problems).find(([each]) => each === code);
  return known?.[1].next_step ?? `Change what you asked for, or ask your provider about ${operationId}.`;
}

/** What was done and how it ended, what went wrong, and what to do next, each in a line of its own. */
export function operationText({ id, type, resource, status, step, error }: OperationView): string {
  const doing = status === 'running' && step !== '' ? `: ${step}` : '';
  const code = error === null ? '' : ` (${error.code})`;
  const lines = [
    `The operation ${type} of ${resource.name ?? resource.id} ${statusWords[status]}${doing}${code}`,
    ...(error === null ? [] : [error.detail, stepAfter(error, id)]),
    `Operation ${id}`,
  ];
  return `${lines.join('\n')}\n`;
}
