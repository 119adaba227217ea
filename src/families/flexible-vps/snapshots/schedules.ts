/** Schedules that delete expired and failed snapshots, and that update the stored sizes of snapshots. */

import { EngineUnreachable } from '../../../engines/compute/port.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { deleteDue } from '../../../resources/records/deletion.ts';
import { transact } from '../../../store/transaction.ts';
import { lockVmIfThere } from '../vms/store.ts';
import { snapshotDeletion } from './kinds.ts';
import { snapshots } from './resource.ts';
import { dueSnapshots, lockSnapshotsOf, noteSize, sizesAt, usersOf } from './store.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;

export const snapshotExpiry: Schedule = {
  name: 'flexible-vps.snapshot-expiry',
  everySeconds: 120,
  async run(services) {
    const due = await dueSnapshots(services.db, AT_ONCE);
    await deleteDue(services, snapshots, snapshotDeletion, due, async (tx, { id, account_id, vm_id }) => {
      const vm = await lockVmIfThere(tx, account_id, vm_id);
      const rows = vm === undefined ? [] : await lockSnapshotsOf(tx, account_id, vm_id);
      // A machine or image is being created from it, or a machine restored to it: a later run deletes it.
      const isUsed = (await usersOf(tx, account_id, [id])).length > 0;
      return isUsed ? undefined : rows.find((row) => row.id === id);
    });
  },
};

async function refreshSizes(services: Services, location: string): Promise<void> {
  const engine = services.compute.at(location);
  if (engine === undefined) return;
  const seen = new Map(
    (await engine.observeInstances()).flatMap((instance) =>
      instance.snapshots.map(({ id, sizeBytes }) => [id, sizeBytes] as const),
    ),
  );
  for await (const rows of sizesAt(services.db, location))
    for (const { id, size_bytes } of rows) {
      const now = seen.get(id);
      if (now === undefined || now === size_bytes) continue;
      await transact(services.db, async (tx) => {
        const row = await noteSize(tx, id, now);
        if (row !== undefined) await snapshots.note(tx, row, { services });
      });
    }
}

export const snapshotSizes: Schedule = {
  name: 'flexible-vps.snapshot-sizes',
  everySeconds: 3600,
  async run(services) {
    for (const { location } of services.compute.all) {
      try {
        await refreshSizes(services, location);
      } catch (error) {
        if (!(error instanceof EngineUnreachable)) throw error;
      }
    }
  },
};
