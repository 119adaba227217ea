import type { OperationView } from '../../../kernel/operations/schema.ts';
import { exampleOperation } from '../operation-example.ts';
import { exampleInterface, interfaceRef } from './schema.ts';

export const exampleWork = (verb: 'attach' | 'update' | 'detach'): OperationView => ({
  ...exampleOperation(`interface.${verb}`, { id: exampleInterface.id, name: '' }),
  resource: interfaceRef(exampleInterface),
});
