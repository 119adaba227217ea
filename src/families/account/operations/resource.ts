import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import type { Resource } from '../../../kernel/registry.ts';
import { Nullable, Shape, Type } from '../../../kernel/schema.ts';

const data = Shape({
  type: Type.String({ description: 'The kind of operation, such as `vm.create`.' }),
  status: Type.String({ description: 'The status of the operation after the change.' }),
  error_code: Nullable(Type.String({ description: 'Why it failed; null if it did not fail.' })),
});

export const operationResource: Resource = {
  type: 'operation',
  eventTypes: eventTypesOf('operation', {
    started: { when: 'An operation started.', data },
    succeeded: { when: 'An operation succeeded.', data },
    failed: { severity: 'error', when: 'An operation failed.', data },
    cancelled: { when: 'An operation was cancelled.', data },
  }),
};
