import { Lifecycle } from '../../../kernel/lifecycle.ts';
import { keysOf } from '../../../kernel/schema.ts';

const states = {
  creating: 'The volume is being created.',
  available: 'The volume is attached to no machine.',
  attaching: 'The volume is being attached to the machine in `vm_id`.',
  attached: 'The machine in `vm_id` has the volume.',
  detaching: 'The volume is being detached from the machine in `vm_id`.',
  resizing: 'The volume is growing.',
  restoring: 'The content is being put back to a snapshot.',
  error: 'The volume was not created, or was lost; `status_reason` says why. Delete it.',
  deleting: 'The volume and its snapshots are being deleted.',
} as const;
export type VolumeStatus = keyof typeof states;

const settled = ['available', 'attached'] as const;

export const volumeLife = new Lifecycle<VolumeStatus>({
  resource: 'volume',
  table: 'vps_volumes',
  states,
  transitional: ['creating', 'attaching', 'detaching', 'resizing', 'restoring', 'deleting'],
  transitions: [
    {
      by: ['createVpsVolume'],
      from: null,
      through: 'creating',
      to: ['available', 'attached', 'error'],
    },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    {
      by: ['performVpsVolumeAction', 'createVm'],
      from: ['available'],
      through: 'attaching',
      to: ['attached', 'available'],
    },
    // A volume that moves is detached and then attaching.
    {
      by: ['performVpsVolumeAction', 'deleteVm'],
      from: ['attached'],
      through: 'detaching',
      to: ['available', 'attached'],
    },
    { by: ['performVpsVolumeAction'], from: settled, through: 'resizing', to: settled },
    { by: ['performVpsVolumeAction'], from: settled, through: 'restoring', to: settled },
    { by: ['deleteVm'], from: ['attached'], through: 'deleting', to: [null, 'available'] },
    {
      // A deletion waits for a detachment, and a second deletion follows the first.
      by: ['deleteVpsVolume'],
      from: ['available', 'attached', 'detaching', 'error', 'deleting'],
      through: 'deleting',
      to: [null, 'available', 'attached', 'error'],
    },
    { by: ['engine'], from: ['available', 'attached', 'error'], to: ['available', 'attached', 'error'] },
  ],
  needs: {
    // Only the control plane stores what an update changes.
    updateVpsVolume: keysOf(states).filter((state) => state !== 'deleting'),
    createVpsVolumeSnapshot: settled,
  },
});

/** The state of a volume on which no operation works. */
export const settledStatus = ({ vm_id }: { readonly vm_id: string | null }): 'available' | 'attached' =>
  vm_id === null ? 'available' : 'attached';
