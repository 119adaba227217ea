import { Lifecycle } from '../../../kernel/lifecycle.ts';

export const interfaceLife = new Lifecycle({
  resource: 'interface',
  table: 'vm_interfaces',
  states: {
    attaching: 'The interface is being added to the machine.',
    active: 'The interface is part of the machine.',
    updating: 'A change of the interface is being applied; it works meanwhile.',
    detaching: 'The interface is being removed from the machine.',
  },
  transitional: ['attaching', 'updating', 'detaching'],
  transitions: [
    { by: ['attachVmInterface', 'createVm'], from: null, through: 'attaching', to: ['active', null] },
    { by: ['updateVmInterface'], from: ['active'], through: 'updating', to: ['active'] },
    { by: ['detachVmInterface'], from: ['active'], through: 'detaching', to: [null, 'active'] },
    // Deleting the machine deletes the interface in any state. Deleting the network detaches it after its pending
    // operations.
    {
      by: ['deleteVm', 'deleteVpsNetwork'],
      from: ['attaching', 'active', 'updating', 'detaching'],
      to: [null],
    },
  ],
});

export type InterfaceState = (typeof interfaceLife.states)[number];
