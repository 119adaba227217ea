import type { Fixture } from '../../../laws/fixture.ts';
import { readVm } from '../vms/store.ts';

export const fixture: Fixture = {
  bodies: {
    redeployVm: async ({ app }, { id = '' }) => ({ confirm: (await readVm(app.services.db, id))?.name }),
  },
};
