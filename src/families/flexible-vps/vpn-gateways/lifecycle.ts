import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = {
  creating: 'The gateway is being created; peers cannot be added yet.',
  active: 'The gateway works.',
  updating: 'A change is being applied; tunnels stay up, unless their key or port changes.',
  error: 'The gateway was not created, or a change failed; `status_reason` says why. Delete it.',
  deleting: 'The gateway and its peers are being deleted.',
} as const;
export type VpnGatewayStatus = keyof typeof states;

const usable = ['active', 'updating'] as const;

export const vpnGatewayLife = new Lifecycle<VpnGatewayStatus>({
  resource: 'vpn_gateway',
  noun: 'VPN gateway',
  table: 'vpn_gateways',
  states,
  transitional: ['creating', 'updating', 'deleting'],
  transitions: [
    { by: ['createVpnGateway'], from: null, through: 'creating', to: ['active', 'error'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    { by: ['updateVpnGateway'], from: ['active'], through: 'updating', to: ['active', 'error'] },
    { by: ['deleteVpnGateway'], from: ['active', 'error'], through: 'deleting', to: [null, 'error'] },
  ],
  needs: {
    // Name, labels, description and protection can be changed in `error` too, so that the gateway can be deleted.
    updateVpnGateway: ['error'],
    createVpnPeer: usable,
    updateVpnPeer: usable,
    deleteVpnPeer: usable,
  },
});
