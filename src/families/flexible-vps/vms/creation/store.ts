import { sql } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import type { SnapshotRow } from '../../snapshots/table.ts';

export function findSnapshot(db: Db, vmId: string, id: string): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('vm_snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('vm_id', '=', vmId)
    .forShare()
    .executeTakeFirst();
}

/** Called when a creation ends, successful or not: the interfaces it created are no longer `attaching`. */
export async function settleInterfaces(db: Db, vmId: string): Promise<void> {
  await db
    .updateTable('vm_interfaces')
    .set({ status: 'active', version: sql`version + 1`, updated_at: sql`now()` })
    .where('vm_id', '=', vmId)
    .where('status', '=', 'attaching')
    // An interface that was attached later has its own operation, which sets the status.
    .where(sql<boolean>`not exists (select from operation_subjects s where s.subject = vm_interfaces.id)`)
    .execute();
}
