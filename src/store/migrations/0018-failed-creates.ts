import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Operations keep what their call wants if they fail, and resources when they first came into being. For resources
 * that exist already, that is when their creation succeeded, or else when it was called: operations are not kept
 * forever. A resource in an error state counts as made only if its row or an operation shows it.
 */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table operations add column on_failure text not null default 'keep' check (on_failure in ('keep', 'delete')),
      add column failure jsonb`.execute(db);
  for (const [table, type, isMade] of made) {
    await sql`alter table ${sql.table(table)} add column provisioned_at timestamptz`.execute(db);
    await sql`
      update ${sql.table(table)} t set provisioned_at = coalesce(o.finished_at, t.created_at)
      from ${sql.table(table)} same left join (
        select resource_id, min(finished_at) as finished_at from operations
        where type = ${type} and status = 'succeeded' group by resource_id) o on o.resource_id = same.id
      where t.id = same.id and (o.finished_at is not null or ${isMade})`.execute(db);
  }
}

const made = [
  [
    'vms',
    'vm.create',
    sql`t.host_group is not null or t.is_billed or t.status not in ('creating', 'error', 'deleting')`,
  ],
  [
    'vps_networks',
    'network.create',
    sql`t.status in ('active', 'updating') or (t.status = 'error' and t.status_reason = 'lost')`,
  ],
  ['vps_images', 'image.create', sql`t.status = 'available'`],
  ['vm_snapshots', 'snapshot.create', sql`t.consistency is not null`],
  [
    'vm_interfaces',
    'interface.attach',
    sql`t.status <> 'attaching' and exists (
      select from vms where vms.id = t.vm_id and vms.provisioned_at is not null)`,
  ],
] as const;
