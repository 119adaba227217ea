import type { Fixture } from '../../../laws/fixture.ts';
import { makeSnapshot } from '../snapshots/fixture.ts';
import { readVm } from '../vms/store.ts';

export const fixture: Fixture = {
  bodies: {
    redeployVm: async ({ app }, { id = '' }) => ({ confirm: (await readVm(app.services.db, id))?.name }),
  },
  variations: {
    redeployVm: {
      'that deletes a snapshot': async (world, { id = '' }) => {
        await makeSnapshot(world, id);
        return { body: { delete_snapshots: true } };
      },
    },
  },
};
