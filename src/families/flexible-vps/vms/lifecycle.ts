import { Lifecycle } from '../../../kernel/lifecycle.ts';
import { keysOf } from '../../../kernel/schema.ts';

const states = {
  creating: 'The disk is being created, or the machine boots for the first time.',
  starting: 'The machine is being started.',
  running: 'The machine is on.',
  stopping: 'The guest shuts down, or the machine is being forced off.',
  stopped: 'The machine is off; its disk and addresses are kept.',
  restarting: 'The machine is being stopped and started again.',
  resizing: 'The vCPUs, the memory or the disk are being changed.',
  redeploying: 'An image is being installed on the wiped disk.',
  restoring: 'The disk is being restored from a snapshot.',
  migrating: 'The provider moves the machine to another host.',
  suspended: 'The provider has stopped the machine. You can only read and delete it.',
  error: 'The last change failed; `status_reason` says why. Redeploy or delete the machine.',
  deleting: 'The machine and its snapshots are being deleted.',
} as const;
export type VmState = keyof typeof states;
export const vmStates = keysOf(states);

/** The states in which operations on interfaces, addresses, volumes and the drive may be queued behind the running operation. */
export const alive = vmStates.filter((state) => !['suspended', 'error', 'deleting'].includes(state));

export const vmLife = new Lifecycle<VmState>({
  resource: 'vm',
  noun: 'machine',
  table: 'vms',
  states,
  transitional: [
    'creating',
    'starting',
    'stopping',
    'restarting',
    'resizing',
    'redeploying',
    'restoring',
    'migrating',
    'deleting',
  ],
  transitions: [
    { by: ['createVm'], from: null, through: 'creating', to: ['running', 'stopped', 'error'] },
    { by: ['performVmAction'], from: ['stopped'], through: 'starting', to: ['running', 'stopped'] },
    { by: ['performVmAction'], from: ['running'], through: 'stopping', to: ['stopped', 'running'] },
    { by: ['performVmAction'], from: ['running'], through: 'restarting', to: ['running', 'stopped'] },
    {
      by: ['resizeVm', 'updateVm'],
      from: ['running', 'stopped'],
      through: 'resizing',
      to: ['running', 'stopped'],
    },
    {
      by: ['redeployVm'],
      from: ['running', 'stopped', 'error'],
      through: 'redeploying',
      to: ['running', 'error'],
    },
    { by: ['restoreVm'], from: ['running', 'stopped'], through: 'restoring', to: ['running', 'stopped'] },
    { by: ['setVmRescue'], from: ['running', 'stopped'], through: 'restarting', to: ['running', 'stopped'] },
    { by: ['provider'], from: ['running'], through: 'migrating', to: ['running'] },
    { by: ['provider'], from: ['running', 'stopped', 'error'], to: ['suspended'] },
    { by: ['provider'], from: ['suspended'], to: ['stopped'] },
    { by: ['engine'], from: ['running', 'stopped', 'error'], to: ['running', 'stopped', 'error'] },
    { by: ['time'], from: ['error'], through: 'deleting', to: [null] },
    { by: ['deleteVm'], from: vmStates, through: 'deleting', to: [null] },
  ],
  needs: {
    updateVm: vmStates.filter((state) => state !== 'suspended' && state !== 'deleting'),
    resetVmPassword: ['running'],
    createVmConsoleSession: ['running', 'starting', 'restarting'],
    createVmSnapshot: ['running', 'stopped'],
    setVmIso: alive,
    attachVmInterface: alive,
    updateVmInterface: alive,
    detachVmInterface: alive,
    attachVmPublicIp: alive,
    detachVmPublicIp: alive,
  },
});
