import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { SnapshotRow } from '../snapshots/table.ts';

export function findSnapshot(db: Db, vmId: string, id: string): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('vm_snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('vm_id', '=', vmId)
    .forShare()
    .executeTakeFirst();
}

/**
 * Called when a creation or a redeploy ends: the interfaces that were created with the machine are no longer
 * `attaching`. If the machine was made, they came into being with it.
 */
export async function settleInterfaces(db: Db, vmId: string, end: 'made' | 'failed'): Promise<void> {
  await db
    .updateTable('vm_interfaces')
    .set({
      status: 'active',
      ...(end === 'made' ? { provisioned_at: sql<Date>`now()` } : {}),
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('vm_id', '=', vmId)
    .where(
      end === 'made'
        ? sql<boolean>`provisioned_at is null and status in ('attaching', 'active')`
        : sql<boolean>`status = 'attaching'`,
    )
    // An interface that was attached later has its own operation, which sets the status.
    .where(sql<boolean>`not exists (select from operation_subjects s where s.subject = vm_interfaces.id)`)
    .execute();
}
