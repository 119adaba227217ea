/** Runs backup policies: begins their windows, and backs up each of their machines once in each window. */
import type { Call } from '../../../kernel/call.ts';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import type { Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { createBackupKind } from '../backups/kinds.ts';
import { columnsOf, requireStore } from '../backups/new-backup.ts';
import { backups } from '../backups/resource.ts';
import { insertBackup } from '../backups/store.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import {
  addJobs,
  countOutcome,
  duePolicies,
  lockDuePolicy,
  lockJob,
  noteTry,
  removeJob,
  setNextRun,
  waitingJobs,
} from './store.ts';
import type { BackupJob } from './table.ts';
import { endOfWindow, nextRun } from './windows.ts';

/** The maximum per run; the next run does the others. */
const AT_ONCE = 200;

/**
 * Writes the jobs and the next time together, so a window is begun once, whatever the number of workers. However many
 * windows have passed since the last run, only one is begun.
 */
async function beginWindow({ db }: Services, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const policy = await lockDuePolicy(tx, id);
    if (policy === undefined || policy.next_run_at === null || policy.set_back_before === null) return;
    const { now, schedule } = policy;
    const times = nextRun(schedule, now);
    if (policy.next_run_at <= now) {
      await addJobs(tx, id, endOfWindow(schedule, now, times.next_run_at));
      await setNextRun(tx, id, times, { at: now });
    } else if (policy.set_back_before > now) {
      await setNextRun(tx, id, times);
    }
  });
}

/** Throws a problem if the machine cannot be backed up now. */
async function requireReady(tx: Tx, services: Services, vm: VmRow): Promise<void> {
  // A backup needs a machine in the same states as a snapshot does.
  vmLife.require('createVmSnapshot', vm.status, { operation: (await pendingOn(tx, [vm.id])).get(vm.id) });
  if (vm.rescue_expires_at !== null) throw new Problem('vm_in_rescue');
  requireStore(services, vm.location);
  const caller = { account: { id: vm.account_id } } as Call['caller'];
  const limit = { limit: 'flexible-vps.backups', amount: 1, location: vm.location };
  await requireRoom({ db: tx, caller, services, event: () => undefined }, [limit]);
}

async function startBackup(services: Services, vmId: string): Promise<void> {
  const { db, registry } = services;
  await transact(db, async (tx) => {
    const job = await lockJob(tx, vmId);
    if (job === undefined) return;
    const vm = await lockVmIfThere(tx, job.account_id, vmId);
    await removeJob(tx, vmId);
    // The policy was disabled or taken from the machine since the window began.
    if (vm === undefined || vm.backup_policy_id !== job.policy_id || !job.enabled) return;
    await requireReady(tx, services, vm);
    const row = await insertBackup(tx, {
      ...columnsOf(vm, 'scheduled'),
      account_id: vm.account_id,
      policy_id: job.policy_id,
    });
    await backups.note(tx, row, { services, isNew: true });
    const start = {
      kind: createBackupKind,
      input: { vm_id: vm.id, quiesce: 'auto' } as const,
      resource: backups.ref(row),
      subjects: [vm.id, row.id],
    };
    await startOperation(tx, registry, start, { accountId: vm.account_id });
  });
}

/** The machine could not be backed up. It is tried again until its window ends. */
async function postpone({ db, registry }: Services, { vm_id }: BackupJob, problem: Problem): Promise<void> {
  await transact(db, async (tx) => {
    const job = await lockJob(tx, vm_id);
    if (job === undefined) return;
    if (!job.is_over) return noteTry(tx, vm_id);
    await removeJob(tx, vm_id);
    await countOutcome(tx, job.policy_id, 'skipped', job.now);
    const vm = await lockVmIfThere(tx, job.account_id, vm_id);
    if (vm === undefined) return;
    const message = `The policy ${job.policy_name} could not back up ${vm.name}: ${problem.message}`;
    const skipped = { ...backups.event('skipped', vm, { message }), resource: vms.ref(vm) };
    await writeEvents(tx, registry, { accountId: vm.account_id, actor: HOSTPLANE }, [skipped]);
  });
}

export const backupRuns: Schedule = {
  name: 'flexible-vps.backup-policies',
  everySeconds: 30,
  async run(services) {
    for (const id of await duePolicies(services.db, AT_ONCE)) await beginWindow(services, id);
    for (const job of await waitingJobs(services.db, AT_ONCE)) {
      try {
        await startBackup(services, job.vm_id);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        await postpone(services, job, error);
      }
    }
  },
};
