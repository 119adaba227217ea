import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = {
  creating: 'The network is being created; machines cannot join yet.',
  active: 'The network works.',
  updating: 'A change of the settings is being applied; the network works meanwhile.',
  error: 'The network was not created or was lost; `status_reason` says why. Delete it.',
  deleting: 'Machines are being detached and the network deleted.',
} as const;
export type NetworkStatus = keyof typeof states;

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
