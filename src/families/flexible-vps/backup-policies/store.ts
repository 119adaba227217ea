import { sql } from 'kysely';
import { type MachineCount, MOST_COUNTED } from '../../../kernel/change-words/change-words.ts';
import type { Db } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';
import type { BackupJob, BackupPolicyRow, Retention } from './table.ts';

/** Excludes machines that are being deleted. */
export const vmCount = sql<number>`(
  select count(*)::int from vms where vms.backup_policy_id = backup_policies.id and vms.status <> 'deleting')`;

/** How many machines have the policy. */
export async function countMachinesWith(db: Db, policyId: string): Promise<MachineCount> {
  const { rows } = await sql<MachineCount>`
    select count(*)::int as machines, count(*)::int as rows from (
      select from vms where backup_policy_id = ${policyId} and status <> 'deleting'
      limit ${MOST_COUNTED + 1}) counted`.execute(db);
  return rows[0] ?? { machines: 0, rows: 0 };
}

/** A key-share lock: the policy is not deleted until the transaction ends. */
export function sharePolicy(db: Db, accountId: string, id: string): Promise<BackupPolicyRow | undefined> {
  return db
    .selectFrom('backup_policies')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forKeyShare()
    .executeTakeFirst();
}

export function readPolicies(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Pick<BackupPolicyRow, 'id' | 'enabled' | 'schedule' | 'retention'>[]> {
  return db
    .selectFrom('backup_policies')
    .select(['id', 'enabled', 'schedule', 'retention'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
}

/** The machines with the policy, except those that are being deleted. */
export function machinesWith(db: Db, policyId: string): Promise<VmRow[]> {
  return db
    .selectFrom('vms')
    .selectAll()
    .where('backup_policy_id', '=', policyId)
    .where('status', '<>', 'deleting')
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** For machines that are being deleted, so that the policy can be deleted before them. */
export async function forgetPolicy(db: Db, policyId: string): Promise<void> {
  await db
    .updateTable('vms')
    .set({ backup_policy_id: null, version: sql`version + 1`, updated_at: sql`now()` })
    .where('backup_policy_id', '=', policyId)
    .execute();
}

/** Policies whose window has begun, or whose next window is too far away because the clock was set back. */
export async function duePolicies(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    (select id from backup_policies where next_run_at <= now() order by next_run_at limit ${limit})
    union
    (select id from backup_policies where set_back_before > now() order by set_back_before desc limit ${limit})
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** With the time of the database. Returns undefined if another worker has the row. */
export function lockDuePolicy(db: Db, id: string) {
  return db
    .selectFrom('backup_policies')
    .selectAll()
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

type Times = Pick<BackupPolicyRow, 'next_run_at' | 'set_back_before'>;

/** Not a change of the customer's, so the version stays. */
export async function setNextRun(
  db: Db,
  id: string,
  times: Times,
  started?: { readonly at: Date },
): Promise<void> {
  const run = started && {
    last_started_at: started.at,
    last_succeeded: 0,
    last_failed: 0,
    last_skipped: 0,
    last_over_budget: 0,
  };
  await db
    .updateTable('backup_policies')
    .set({ ...times, ...run })
    .where('id', '=', id)
    .execute();
}

/** One job for each machine with the policy. A job that is left of an earlier window becomes that of this one. */
export async function addJobs(db: Db, policyId: string, windowEndsAt: Date): Promise<void> {
  await sql`
    insert into backup_jobs (vm_id, account_id, policy_id, window_ends_at)
    select id, account_id, backup_policy_id, ${windowEndsAt}::timestamptz from vms
    where backup_policy_id = ${policyId} and status <> 'deleting'
    on conflict (vm_id) do update set policy_id = excluded.policy_id, window_ends_at = excluded.window_ends_at`.execute(
    db,
  );
}

/** The jobs that were tried longest ago come first, so that busy machines do not keep others waiting. */
export function waitingJobs(db: Db, limit: number): Promise<BackupJob[]> {
  return db.selectFrom('backup_jobs').selectAll().orderBy('tried_at').limit(limit).execute();
}

/** With the time of the database. Returns undefined if the job is done, or another worker has it. */
export function lockJob(db: Db, vmId: string) {
  return db
    .selectFrom('backup_jobs')
    .innerJoin('backup_policies', 'backup_policies.id', 'backup_jobs.policy_id')
    .selectAll('backup_jobs')
    .select(['backup_policies.enabled', 'backup_policies.name as policy_name'])
    .select([sql<boolean>`window_ends_at <= now()`.as('is_over'), sql<Date>`now()`.as('now')])
    .where('vm_id', '=', vmId)
    .forUpdate('backup_jobs')
    .skipLocked()
    .executeTakeFirst();
}

export async function noteTry(db: Db, vmId: string): Promise<void> {
  await db.updateTable('backup_jobs').set({ tried_at: sql`now()` }).where('vm_id', '=', vmId).execute();
}

export async function removeJob(db: Db, vmId: string): Promise<void> {
  await db.deleteFrom('backup_jobs').where('vm_id', '=', vmId).execute();
}

/** Counts the outcome of one machine, unless the policy has begun another run since. */
export async function countOutcome(
  db: Db,
  policyId: string,
  outcome: 'succeeded' | 'failed' | 'skipped' | 'over_budget',
  startedAt: Date,
): Promise<void> {
  const column = sql.ref(`last_${outcome}`);
  await sql`
    update backup_policies set ${column} = ${column} + 1
    where id = ${policyId} and last_started_at <= ${startedAt}`.execute(db);
}

interface Expiring {
  readonly id: string;
  readonly name: string;
}

/**
 * The backups that the retention does not keep, of one machine or of all. Only backups that a policy made and that can
 * be restored count; the newest of a machine always stays.
 */
export async function notKept(
  db: Db,
  policy: Pick<BackupPolicyRow, 'id' | 'account_id'>,
  { keep_last, keep_days }: Retention,
  vmId: string | null = null,
): Promise<Expiring[]> {
  const { rows } = await sql<Expiring>`
    select id, name from (
      select id, name, created_at, expires_at,
        row_number() over (partition by vm_id order by created_at desc, id desc) as place
      from vm_backups
      where account_id = ${policy.account_id} and policy_id = ${policy.id} and kind = 'scheduled'
        and status = 'available' and (${vmId}::text is null or vm_id = ${vmId})
    ) made
    where (place > ${keep_last} or (place > 1 and created_at <= now() - make_interval(days => ${keep_days}::int)))
      and (expires_at is null or expires_at > now())
    order by id`.execute(db);
  return rows;
}
