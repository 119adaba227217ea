/** Schedules that delete expired and failed snapshots, and that update the stored sizes of snapshots. */
import { EngineUnreachable } from '../../../engines/compute/port.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { lockVmIfThere } from '../vms/store.ts';
import { deleteSnapshotKind } from './kinds.ts';
import { snapshots } from './resource.ts';
import { dueSnapshots, lockSnapshotsOf, noteSize, sizesAt, usersOf } from './store.ts';
import type { SnapshotRow } from './table.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;

async function startDeletion({ db, registry }: Services, due: SnapshotRow): Promise<void> {
  await transact(db, async (tx) => {
    const vm = await lockVmIfThere(tx, due.account_id, due.vm_id);
    if (vm === undefined) return;
    const rows = await lockSnapshotsOf(tx, due.account_id, due.vm_id);
    const before = rows.find(({ id }) => id === due.id);
    if (before === undefined || (before.status !== 'available' && before.status !== 'failed')) return;
    // A machine or image is being created from it, or a machine restored to it: a later run deletes it.
    if ((await usersOf(tx, due.account_id, [due.id])).length > 0) return;
    await snapshots.change(tx, before.id, { status: 'deleting' }, { keepsPrice: true });
    await startOperation(
      tx,
      registry,
      {
        kind: deleteSnapshotKind,
        input: { vm_id: vm.id, was: before.status },
        resource: snapshots.ref(before),
        subjects: [vm.id, before.id],
      },
      { accountId: before.account_id },
    );
  });
}

export const snapshotExpiry: Schedule = {
  name: 'flexible-vps.snapshot-expiry',
  everySeconds: 120,
  async run(services) {
    for (const due of await dueSnapshots(services.db, AT_ONCE)) {
      try {
        await startDeletion(services, due);
      } catch (error) {
        // The operation queue of the machine is full, or the machine is being deleted: the next run tries again.
        if (!(error instanceof Problem)) throw error;
      }
    }
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
