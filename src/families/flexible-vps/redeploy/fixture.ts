import type { Fixture } from '../../../laws/fixture.ts';
import { makeLargeSnapshot } from '../snapshots/fixture.ts';
import { readVm } from '../vms/store.ts';

export const fixture: Fixture = {
  bodies: {
    redeployVm: async ({ app }, { id = '' }) => ({ confirm: (await readVm(app.services.db, id))?.name }),
  },
  variations: {
    redeployVm: {
      'that deletes a snapshot': async (world, { id = '' }) => {
        await makeLargeSnapshot(world, id);
        return { body: { delete_snapshots: true } };
      },
    },
  },
};
