import type { RefusalProblems } from '../../../engines/engine-call.ts';

/** Console, password and metrics need a machine that runs: a machine that is gone does not run either. */
export const machineRefusals: RefusalProblems = {
  invalid_state: 'vm_not_running',
  not_found: 'vm_not_running',
  guest_agent_unavailable: 'guest_agent_unavailable',
};
