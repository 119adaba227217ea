/** The compute port: engines that run machines. */
import type { Port } from '../port.ts';
import { examineCompute } from './doctor.ts';
import { openCompute } from './open.ts';
import type { ComputeEngine } from './port.ts';
import { computeFaults } from './sandbox/faults.ts';
import { sandboxMachines } from './sandbox/operator.ts';
import { ComputeSettings } from './settings.ts';
import { checkCompute } from './settings-check.ts';

export const compute: Port<'compute', ComputeEngine, ComputeSettings> = {
  name: 'compute',
  member: 'compute',
  Settings: ComputeSettings,
  check: checkCompute,
  files: {
    client_certificate: 'at_start',
    client_key: 'at_start',
    server_certificate: 'at_start',
    ovn_certificate: 'at_start',
    ovn_key: 'at_start',
    ovn_authority: 'at_start',
  },
  open: openCompute,
  examine: examineCompute,
  sandbox: {
    settings: () => ({ driver: 'sandbox', pace: 0 }),
    simulates: ({ driver }) => driver === 'sandbox',
    faults: computeFaults,
    objects: sandboxMachines,
  },
};
