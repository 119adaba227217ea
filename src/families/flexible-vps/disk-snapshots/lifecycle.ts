import { Lifecycle } from '../../../kernel/lifecycle.ts';
import type { SnapshotTable } from './store.ts';

interface Calls {
  readonly resource: string;
  readonly table: SnapshotTable;
  readonly create: string;
  readonly delete: string;
  /** What an available snapshot is good for. */
  readonly available: string;
}

const lasting = ['available', 'failed'] as const;
const gone = [null, 'available', 'failed'] as const;

export const diskSnapshotLife = ({ resource, table, available, ...calls }: Calls) =>
  new Lifecycle({
    resource,
    table,
    states: {
      creating: 'The snapshot is being taken.',
      available,
      failed: 'The snapshot was not taken. It is deleted after 24 hours.',
      deleting: 'The snapshot is being deleted.',
    },
    transitional: ['creating', 'deleting'],
    transitions: [
      { by: [calls.create], from: null, through: 'creating', to: lasting },
      { by: ['cancelOperation'], from: ['creating'], to: [null] },
      // A second delete call is allowed while the snapshot is deleting; it answers with the running operation.
      { by: [calls.delete], from: [...lasting, 'deleting'], through: 'deleting', to: gone },
      { by: ['engine'], from: lasting, to: ['available', 'failed', null] },
      { by: ['time'], from: lasting, through: 'deleting', to: gone },
    ],
  });

export type SnapshotStatus = ReturnType<typeof diskSnapshotLife>['states'][number];
