/** Cleans up after failed creations: the remains at the engine are removed soon, and the row is deleted after a day. */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { type Moment, readClock } from '../../../engines/reconciler/store.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { deleteVmKind } from '../vm-deletion/deletion.ts';
import { refOf } from '../vms/guest.ts';
import { noteUnbilled } from '../vms/inventory.ts';
import { vms } from '../vms/resource.ts';
import { updateVm } from '../vms/store.ts';
import { isFailedCreate } from '../vms/verdict.ts';
import { holdIdleMachine } from './reconcile.ts';
import { oldFailedCreates } from './store.ts';

/** Keeps the row locked during the removal, so that a redeploy of the machine starts only afterwards. */
export async function clearLeftover(
  { db, log }: Services,
  engine: ComputeEngine,
  ref: Ref,
  since: Moment,
): Promise<void> {
  await transact(db, async (tx) => {
    const row = await holdIdleMachine(tx, ref, since);
    if (row === undefined || !isFailedCreate(row)) return;
    await engine.removeInstance(ref, patience());
    log.info(
      { vm: row.id, location: engine.location },
      'removed the remains of a failed creation from the engine',
    );
  });
}

const KEPT_HOURS = 24;
/** The most deletions that one run starts; the next run continues. */
const AT_ONCE = 200;

async function startDeletion({ db, registry }: Services, ref: Ref): Promise<void> {
  await transact(db, async (tx) => {
    const row = await holdIdleMachine(tx, ref, await readClock(tx));
    if (row === undefined || !isFailedCreate(row)) return;
    const input = { shutdown_timeout_seconds: 0, force_after_timeout: true };
    const resource = vms.ref(row);
    await startOperation(tx, registry, { kind: deleteVmKind, input, resource }, { accountId: ref.account });
    const deleting = await updateVm(tx, row.id, { status: 'deleting' });
    if (deleting !== undefined) await noteUnbilled(tx, deleting);
  });
}

export const failedCreates: Schedule = {
  name: 'flexible-vps.failed-creates',
  everySeconds: 300,
  async run(services) {
    for (const row of await oldFailedCreates(services.db, KEPT_HOURS, AT_ONCE))
      await startDeletion(services, refOf(row));
  },
};
