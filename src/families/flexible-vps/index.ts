import type { Family } from '../../kernel/registry.ts';
import { eventTypes } from './event-types.ts';

export const flexibleVps: Family = {
  name: 'flexible-vps',
  title: 'Flexible VPS',
  description: 'Virtual machines by the hour, with their disks, snapshots, images and private networks.',
  endpoints: [],
  resourceTypes: [],
  eventTypes,
  kinds: [],
  lifecycles: [],
  schedules: [],
};
