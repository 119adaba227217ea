import type { EventType } from '../../kernel/events/event.ts';
import { Nullable, Shape, Type } from '../../kernel/schema.ts';

const operation = Shape({
  type: Type.String(),
  status: Type.String(),
  error_code: Nullable(Type.String()),
});

export const eventTypes: readonly EventType[] = [
  { type: 'operation.started', severity: 'info', when: 'An operation began to run.', data: operation },
  { type: 'operation.succeeded', severity: 'info', when: 'An operation succeeded.', data: operation },
  { type: 'operation.failed', severity: 'error', when: 'An operation failed.', data: operation },
  { type: 'operation.cancelled', severity: 'info', when: 'An operation was cancelled.', data: operation },
];
