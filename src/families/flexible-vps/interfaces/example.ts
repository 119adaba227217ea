import { exampleOperation } from '../../../kernel/operations/example.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';
import { exampleInterface, interfaceRef } from './schema.ts';

export const exampleWork = (verb: 'attach' | 'update' | 'detach'): OperationView => ({
  ...exampleOperation(
    { type: `interface.${verb}`, family: 'flexible-vps', resourceType: 'interface' },
    { id: exampleInterface.id, name: '' },
  ),
  resource: interfaceRef(exampleInterface),
});
