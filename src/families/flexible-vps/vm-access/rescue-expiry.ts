/** The schedule that ends expired rescue modes. */
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { startScheduled } from '../../../resources/future/scheduled-start.ts';
import { transact } from '../../../store/transaction.ts';
import { enterStatus } from '../power/status.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { type RescueInput, rescueKind } from './rescue-kind.ts';
import { type DueRescue, dueRescues } from './store.ts';

/** Maximum number of machines per run. The others wait for the next run. */
const AT_ONCE = 200;

const isDue = ({ rescue_expires_at, status }: VmRow, now: Date): boolean =>
  rescue_expires_at !== null && rescue_expires_at <= now && (status === 'running' || status === 'stopped');

/** Ends an expired rescue mode. A stopped machine stays stopped, and its next start is from its own disk. */
async function end(services: Services, { account_id, id, now }: DueRescue): Promise<void> {
  await transact(services.db, async (tx) => {
    const row = await lockVmIfThere(tx, account_id, id);
    if (row === undefined || !isDue(row, now)) return;
    const isRunning = row.status === 'running';
    const input: RescueInput = {
      enabled: false,
      restart: isRunning,
      former: isRunning ? 'running' : 'stopped',
      duration_hours: 0,
      ssh_keys: [],
      sealed_password_hash: null,
      expired: true,
    };
    // A machine in rescue mode costs the same as one that runs from its own disk.
    const start = { kind: rescueKind, input, resource: vms.ref(row) };
    await startScheduled(tx, services, start, account_id, null);
    if (isRunning) await enterStatus(tx, row, 'restarting');
  });
}

export const rescueExpiry: Schedule = {
  name: 'flexible-vps.rescue-expiry',
  everySeconds: 120,
  async run(services) {
    for (const due of await dueRescues(services.db, AT_ONCE)) {
      try {
        await end(services, due);
      } catch (error) {
        // Another operation works on the machine. The next run tries again.
        if (!(error instanceof Problem)) throw error;
      }
    }
  },
};
