import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import { OperationStatusShape } from '../../../kernel/operations/schema.ts';
import type { Resource } from '../../../kernel/registry.ts';
import { Named, Nullable, Shape, Type } from '../../../kernel/schema.ts';

const data = Named(
  'OperationDetails',
  Shape(
    {
      type: Type.String({ description: 'The kind of operation, such as `vm.create`.' }),
      status: OperationStatusShape,
      error_code: Nullable(Type.String({ description: 'Why it failed; null if it did not fail.' })),
    },
    { description: 'Its details.' },
  ),
);

export const operationResource: Resource = {
  type: 'operation',
  eventTypes: eventTypesOf('operation', {
    started: { when: 'A worker began to do the work of an operation.', data },
    succeeded: { when: 'An operation has done all its work.', data },
    failed: { severity: 'error', when: 'An operation ended without success; `error_code` says why.', data },
    cancelled: { when: 'An operation was cancelled.', data },
  }),
};
