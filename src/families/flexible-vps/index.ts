import type { Family } from '../../kernel/registry.ts';
import { eventTypes } from './event-types.ts';
import { networkEndpoints } from './networks/endpoints.ts';
import { networkLife } from './networks/lifecycle.ts';
import {
  createPlacementGroup,
  deletePlacementGroup,
  getPlacementGroup,
  listPlacementGroups,
} from './placement-groups/endpoints.ts';
import { createVpsSshKey, deleteVpsSshKey, getVpsSshKey, listVpsSshKeys } from './ssh-keys/endpoints.ts';

export const flexibleVps: Family = {
  name: 'flexible-vps',
  title: 'Flexible VPS',
  description: 'Virtual machines by the hour, with their disks, snapshots, images and private networks.',
  endpoints: [
    listVpsSshKeys,
    createVpsSshKey,
    getVpsSshKey,
    deleteVpsSshKey,
    listPlacementGroups,
    createPlacementGroup,
    getPlacementGroup,
    deletePlacementGroup,
    ...networkEndpoints,
  ],
  resourceTypes: [
    {
      type: 'ssh_key',
      permission: 'flexible-vps:ssh-keys:read',
      path: '/flexible-vps/v1/ssh-keys/{id}',
      limit: 'flexible-vps.ssh-keys',
    },
    {
      type: 'placement_group',
      permission: 'flexible-vps:placement-groups:read',
      path: '/flexible-vps/v1/placement-groups/{id}',
      limit: 'flexible-vps.placement-groups',
    },
    {
      type: 'network',
      permission: 'flexible-vps:networks:read',
      path: '/flexible-vps/v1/networks/{id}',
      limit: 'flexible-vps.networks',
    },
  ],
  eventTypes,
  kinds: [],
  lifecycles: [networkLife],
  schedules: [],
};
