import type { OperationView } from '../../../kernel/operations/schema.ts';
import { exampleOperation } from '../operation-example.ts';
import { exampleVm } from '../vms/schema.ts';

export const exampleAction: OperationView = exampleOperation('vm.shutdown', exampleVm);

export const exampleBulkAction: OperationView = {
  ...exampleOperation('vm.bulk_power', exampleVm),
  resource: { type: 'vm', id: null, name: null },
};
