/** Runs backup policies: begins their windows, and backs up each of their machines once in each window. */
import type { Call } from '../../../kernel/call.ts';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { findPrices } from '../../../kernel/inventory/store.ts';
import { most } from '../../../kernel/micro.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { NewCost } from '../../../money/budgets/pending/store.ts';
import { setterOf } from '../../../money/future/store.ts';
import { startScheduled } from '../../../resources/future/scheduled-start.ts';
import { billedPrice } from '../../../resources/inventory/cost.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import type { Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { followBackups } from '../backup-policies/future/future.ts';
import { oldestKept } from '../backup-policies/future/store.ts';
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
} from '../backup-policies/store.ts';
import type { BackupJob } from '../backup-policies/table.ts';
import { endOfWindow, nextRun } from '../backup-policies/windows.ts';
import { createBackupKind } from '../backups/kinds.ts';
import { columnsOf, requireStore } from '../backups/new-backup.ts';
import { backups } from '../backups/resource.ts';
import { insertBackup } from '../backups/store.ts';
import type { BackupRow } from '../backups/table.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

/** The maximum per run; the next run does the others. */
const AT_ONCE = 200;
const NOBODY = { api_key_id: null, member_id: null };

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

/**
 * What the backup adds to the bill: at most the price of a copy of the whole disk. When the policy has made all that it
 * keeps, the oldest one gives way, so only the difference is added.
 */
async function costOf(
  tx: Tx,
  services: Services,
  { id, account_id, vm_id, policy_id, location, disk_gb, labels }: BackupRow,
  isPlanned: boolean,
): Promise<NewCost> {
  const subject = { pricedAs: backups.type, configuration: { location, size_gb: disk_gb } };
  const monthlyAfter = billedPrice(services, subject, new Date())?.monthly ?? 0n;
  const oldest = isPlanned ? undefined : await oldestKept(tx, account_id, vm_id, policy_id ?? '');
  const freed = oldest === undefined ? 0n : ((await findPrices(tx, [oldest])).get(oldest)?.monthly ?? 0n);
  const monthly = most(0n, monthlyAfter - freed);
  return { family: createBackupKind.family, labels, monthly, resourceId: id, monthlyAfter };
}

async function startBackup(services: Services, vmId: string): Promise<void> {
  await transact(services.db, async (tx) => {
    const job = await lockJob(tx, vmId);
    if (job === undefined) return;
    const vm = await lockVmIfThere(tx, job.account_id, vmId);
    await removeJob(tx, vmId);
    // The policy was disabled or taken from the machine since the window began.
    if (vm === undefined || vm.backup_policy_id !== job.policy_id || !job.enabled) return;
    await requireReady(tx, services, vm);
    const plan = await setterOf(tx, job.policy_id, vm.id);
    const setter = plan ?? NOBODY;
    // With the labels of its machine, the backup counts for the budgets that count the machine.
    const added = { account_id: vm.account_id, policy_id: job.policy_id, labels: vm.labels };
    const row = await insertBackup(tx, { ...columnsOf(vm, 'scheduled'), ...added });
    await backups.note(tx, row, { services, isNew: true, apiKeyId: setter.api_key_id });
    const start = {
      kind: createBackupKind,
      input: { vm_id: vm.id, quiesce: 'auto' } as const,
      resource: backups.ref(row),
      subjects: [vm.id, row.id],
    };
    const costs = [await costOf(tx, services, row, (plan?.quantity ?? 1) > 0)];
    const what = `The backup of ${vm.name}`;
    await startScheduled(tx, services, start, vm.account_id, { setter, costs, what });
    await followBackups(tx, vm.account_id, vm.id, job.policy_id);
  });
}

/** Reasons that last longer than a window. */
function lastingReason({ code }: Problem): 'budget_exceeded' | 'not_allowed' | null {
  if (code === 'budget_exceeded') return code;
  const isForbidden = ['account_restricted', 'account_suspended', 'product_not_enabled'].includes(code);
  return isForbidden ? 'not_allowed' : null;
}

/**
 * The machine could not be backed up. It is tried again until its window ends; but if a budget has no room or the account
 * may not make backups, it is skipped at once, so that the customer learns of it at once.
 */
async function postpone({ db, registry }: Services, { vm_id }: BackupJob, problem: Problem): Promise<void> {
  await transact(db, async (tx) => {
    const job = await lockJob(tx, vm_id);
    if (job === undefined) return;
    const lasting = lastingReason(problem);
    if (!job.is_over && lasting === null) return noteTry(tx, vm_id);
    await removeJob(tx, vm_id);
    const outcome = lasting === 'budget_exceeded' ? 'over_budget' : 'skipped';
    await countOutcome(tx, job.policy_id, outcome, job.now);
    const vm = await lockVmIfThere(tx, job.account_id, vm_id);
    if (vm === undefined) return;
    const { api_key_id, member_id } = (await setterOf(tx, job.policy_id, vm_id)) ?? NOBODY;
    const data = {
      reason: lasting ?? 'not_possible',
      policy_id: job.policy_id,
      budget_id: problem.extra['budget_id'] ?? null,
      ...{ api_key_id, member_id },
    };
    const message = `The policy ${job.policy_name} could not back up ${vm.name}: ${problem.message}`;
    const skipped = { ...backups.event('skipped', vm, { message, data }), resource: vms.ref(vm) };
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
