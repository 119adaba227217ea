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
  // The members that only the control plane stores can be changed in `error` too. Otherwise nobody could remove the
  // protection of a failed network, which could then never be deleted.
  needs: { updateVpsNetwork: ['error'] },
});
