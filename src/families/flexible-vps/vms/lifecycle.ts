import { Lifecycle } from '../../../kernel/lifecycle.ts';

export const vmStates = [
  'creating',
  'starting',
  'running',
  'stopping',
  'stopped',
  'restarting',
  'resizing',
  'redeploying',
  'restoring',
  'migrating',
  'suspended',
  'error',
  'deleting',
] as const;
export type VmState = (typeof vmStates)[number];

/** The states in which interface and address operations may be queued behind the running operation. */
const alive = vmStates.filter((state) => !['suspended', 'error', 'deleting'].includes(state));

export const vmLife = new Lifecycle<VmState>({
  resource: 'vm',
  table: 'vms',
  states: vmStates,
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
    { by: ['resizeVm'], from: ['running', 'stopped'], through: 'resizing', to: ['running', 'stopped'] },
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
    attachVmInterface: alive,
    updateVmInterface: alive,
    detachVmInterface: alive,
    attachVmPublicIp: alive,
    detachVmPublicIp: alive,
  },
});
