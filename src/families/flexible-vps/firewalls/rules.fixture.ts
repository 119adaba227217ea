import type { Fixture } from '../../../laws/fixture.ts';
import { removePart } from './fixture.ts';
import { readFirewall } from './store.ts';

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/firewalls/{id}/rules',
  async make({ app }, { id = '' }) {
    const row = await readFirewall(app.services.db, id);
    return row?.rules[0]?.id ?? '';
  },
  remove: (world, id) => removePart(world, 'rules', id),
};
