import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = ['creating', 'active', 'updating', 'error', 'deleting'] as const;
export type NetworkStatus = (typeof states)[number];

export const networkLife = new Lifecycle<NetworkStatus>({
  resource: 'network',
  table: 'vps_networks',
  states,
  transitional: ['creating', 'updating', 'deleting'],
  transitions: [
    { by: ['createVpsNetwork'], from: null, through: 'creating', to: ['active', 'error'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    { by: ['updateVpsNetwork'], from: ['active'], through: 'updating', to: ['active'] },
    {
      by: ['deleteVpsNetwork'],
      from: ['active', 'error'],
      through: 'deleting',
      to: [null, 'active', 'error'],
    },
    { by: ['engine'], from: ['active', 'error'], to: ['active', 'error'] },
  ],
  // What the control plane alone keeps: else one that failed and is protected could never be deleted.
  needs: { updateVpsNetwork: ['error'] },
});
