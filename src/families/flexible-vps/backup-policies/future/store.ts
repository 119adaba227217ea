import { type RawBuilder, sql } from 'kysely';
import type { Planned } from '../../../../money/future/store.ts';
import type { Db } from '../../../../store/database.ts';
import type { BackupPolicyRow } from '../table.ts';
import type { Held } from './held.ts';

/** The backups of a machine that the policy keeps. Those that failed or have expired are deleted soon. */
const kept = (machine: RawBuilder<unknown>, policy: RawBuilder<unknown>) => sql`
  b.vm_id = ${machine} and b.policy_id = ${policy} and b.kind = 'scheduled' and b.status <> 'failed'
  and b.failed_at is null and (b.expires_at is null or b.expires_at > now())`;

interface Only {
  readonly vmId: string;
  /** The size that the disk is going to have, if that is more. */
  readonly diskGb?: number | undefined;
}

/**
 * The backups that the policy is going to add to those that exist, of one machine or of all. Their size is not known, so
 * each counts with the size of the whole disk. Machines that are being deleted get no backups.
 */
export const plannedBackups = (
  { id }: Pick<BackupPolicyRow, 'id'>,
  { most, runs }: Held,
  only: Only | null = null,
): RawBuilder<Planned> => sql<Planned>`
  select v.backup_policy_id as schedule_id, v.id as resource_id, v.account_id, 'flexible-vps' as family,
    '{}'::jsonb as labels, 'backup' as priced_as,
    jsonb_build_object('location', v.location, 'size_gb', greatest(v.disk_gb, ${only?.diskGb ?? 0}::int))
      as configuration,
    least(${runs}::int, greatest(0, ${most}::int - (
      select count(*)::int from vm_backups b
      where b.account_id = v.account_id and ${kept(sql`v.id`, sql`v.backup_policy_id`)}))) as quantity
  from vms v
  where v.backup_policy_id = ${id} and v.status <> 'deleting'
    and (${only?.vmId ?? null}::text is null or v.id = ${only?.vmId ?? null})
    and exists (select from resources r where r.id = v.id)`;

/** The backup that gives way when the policy has made another one of the machine. */
export async function oldestKept(
  db: Db,
  accountId: string,
  vmId: string,
  policyId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select b.id from vm_backups b where b.account_id = ${accountId} and ${kept(sql`${vmId}`, sql`${policyId}`)}
    order by b.created_at, b.id limit 1`.execute(db);
  return rows[0]?.id;
}
