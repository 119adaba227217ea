import type { RefusalProblems } from '../../../engines/engine-call.ts';

/** Console, password reset and metrics need a running machine. A missing instance counts as not running. */
export const machineRefusals: RefusalProblems = {
  invalid_state: 'vm_not_running',
  not_found: 'vm_not_running',
  guest_agent_unavailable: 'guest_agent_unavailable',
};
