import { exampleOperation as ofKind } from '../../kernel/operations/example.ts';
import type { OperationView } from '../../kernel/operations/schema.ts';

/** Builds the operation that API examples show for a resource. */
export const exampleOperation = (
  type: string,
  example: { readonly id: string; readonly name: string },
  resourceType = type.split('.')[0] ?? '',
): OperationView => ofKind({ type, family: 'flexible-vps', resourceType }, example);
