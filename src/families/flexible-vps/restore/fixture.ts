import type { Fixture } from '../../../laws/fixture.ts';
import { makeBackupOf } from '../backups/fixture.ts';
import { makeLargeSnapshot, makeSnapshot } from '../snapshots/fixture.ts';
import { readVm } from '../vms/store.ts';

export const fixture: Fixture = {
  bodies: {
    restoreVm: async (world, { id = '' }) => ({
      source: { type: 'snapshot', snapshot_id: await makeSnapshot(world, id) },
      confirm: (await readVm(world.app.services.db, id))?.name,
    }),
  },
  counted: {
    restoreVm: {
      'to a backup, after a backup of the present disk': async (world, { id = '' }) => ({
        body: {
          source: { type: 'backup', backup_id: await makeBackupOf(world, id) },
          safety_backup: true,
          delete_snapshots: true,
        },
      }),
    },
  },
  variations: {
    restoreVm: {
      'to a backup': async (world, { id = '' }) => ({
        body: {
          source: { type: 'backup', backup_id: await makeBackupOf(world, id) },
          safety_backup: false,
          delete_snapshots: true,
        },
      }),
      'that leaves the machine stopped': async () => ({ body: { start_after: 'no' } }),
      'that deletes a newer snapshot': async (world, { id = '' }) => {
        const snapshot_id = await makeSnapshot(world, id);
        await makeLargeSnapshot(world, id);
        return { body: { source: { type: 'snapshot', snapshot_id }, delete_newer_snapshots: true } };
      },
    },
  },
};
