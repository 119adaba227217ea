/** What is left of machines that could not be made: at the engine it goes soon, with us after a day. */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { type Moment, readClock } from '../../../engines/reconciler/store.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { vmRef } from '../vms/delete-parts.ts';
import { deleteVmKind } from '../vms/deletion.ts';
import { refOf } from '../vms/guest.ts';
import { noteUnbilled } from '../vms/inventory.ts';
import { updateVm } from '../vms/store.ts';
import { holdIdleMachine } from './reconcile.ts';
import { oldFailedCreates } from './store.ts';
import { isFailedCreate } from './verdict.ts';

/** The row is held meanwhile: whoever wants to make the machine after all begins when this is over. */
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
    log.info({ vm: row.id, location: engine.location }, 'removed what a failed creation left');
  });
}

const KEPT_HOURS = 24;
/** In one go; the rest is due at the next turn. */
const AT_ONCE = 200;

async function startDeletion({ db, registry }: Services, ref: Ref): Promise<void> {
  await transact(db, async (tx) => {
    const row = await holdIdleMachine(tx, ref, await readClock(tx));
    if (row === undefined || !isFailedCreate(row)) return;
    const input = { shutdown_timeout_seconds: 0, force_after_timeout: true, former_status: row.status };
    const resource = vmRef(row);
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
