import type { Fixture } from '../../../laws/fixture.ts';
import { attachFirewall, removePart } from '../firewalls/fixture.ts';

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/firewalls/{id}/attachments',
  make: (world, { id = '' }) => attachFirewall(world, id),
  remove: (world, id) => removePart(world, 'attachments', id),
};
