import { Lifecycle } from '../../kernel/lifecycle.ts';
import { keysOf } from '../../kernel/schema.ts';

const states = {
  reserving: 'The address is being reserved, and assigned if that was asked for.',
  available: 'The account holds the address, and nothing has it.',
  assigning: 'The address is on its way to a machine.',
  assigned: 'What `assignment` names has the address.',
  moving: 'The address is on its way from one machine to another.',
  unassigning: 'The address is being taken from its machine.',
  releasing: 'The address is being given back.',
  error: 'The address was not reserved. Release it.',
} as const;
export type AddressStatus = keyof typeof states;

const settled = ['available', 'assigned'] as const;

export const addressLife = new Lifecycle<AddressStatus>({
  resource: 'address',
  table: 'public_addresses',
  states,
  transitional: ['reserving', 'assigning', 'moving', 'unassigning', 'releasing'],
  transitions: [
    { by: ['reserveAddress'], from: null, through: 'reserving', to: [...settled, 'error'] },
    { by: ['cancelOperation'], from: ['reserving'], to: [null] },
    { by: ['createVm', 'createVpnGateway'], from: null, to: ['assigned'] },
    { by: ['createVm'], from: ['available'], to: ['assigned'] },
    {
      by: ['setAddressAssignment', 'attachVmPublicIp'],
      from: ['available'],
      through: 'assigning',
      to: settled,
    },
    // If it does not reach the other machine, it is led back. If that fails as well, nothing has it.
    {
      by: ['setAddressAssignment', 'attachVmPublicIp'],
      from: ['assigned'],
      through: 'moving',
      to: settled,
    },
    {
      by: ['setAddressAssignment', 'detachVmPublicIp'],
      from: ['assigned'],
      through: 'unassigning',
      to: settled,
    },
    // An ephemeral address is released when its machine loses it.
    { by: ['detachVmPublicIp'], from: ['assigned'], through: 'unassigning', to: [null] },
    { by: ['deleteVm', 'deleteVpnGateway'], from: ['assigned'], to: [null] },
    { by: ['deleteVm'], from: ['assigned'], to: ['available'] },
    {
      // A second release follows the first.
      by: ['releaseAddress'],
      from: [...settled, 'error', 'releasing'],
      through: 'releasing',
      to: [null, ...settled, 'error'],
    },
  ],
  needs: {
    // Only the control plane stores what an update changes.
    updateAddress: keysOf(states).filter((state) => state !== 'reserving' && state !== 'releasing'),
  },
});

interface Held {
  readonly vm_id: string | null;
  readonly gateway_id: string | null;
}

/** The state of an address on which no operation works. */
export const settledStatus = ({ vm_id, gateway_id }: Held): 'available' | 'assigned' =>
  vm_id === null && gateway_id === null ? 'available' : 'assigned';
