import { Lifecycle } from '../../../kernel/lifecycle.ts';

export const networkLife = new Lifecycle({
  resource: 'network',
  table: 'vps_networks',
  states: ['creating', 'active', 'updating', 'error', 'deleting'],
  transitional: ['creating', 'updating', 'deleting'],
  transitions: [
    { by: ['createVpsNetwork'], from: null, through: 'creating', to: ['active', 'error'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    { by: ['updateVpsNetwork'], from: ['active'], through: 'updating', to: ['active'] },
    // Only what the control plane keeps: else a protected network that failed could never be deleted.
    { by: ['updateVpsNetwork'], from: ['error'], to: ['error'] },
    {
      by: ['deleteVpsNetwork'],
      from: ['active', 'error'],
      through: 'deleting',
      to: [null, 'active', 'error'],
    },
  ],
});

export type NetworkStatus = (typeof networkLife.states)[number];
