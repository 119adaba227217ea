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

/** Whether the machine came up or is given up: nothing is being done to those it was to have from the start. */
export async function settleInterfaces(db: Db, vmId: string): Promise<void> {
  await db
    .updateTable('vm_interfaces')
    .set({ status: 'active', version: sql`version + 1`, updated_at: sql`now()` })
    .where('vm_id', '=', vmId)
    .where('status', '=', 'attaching')
    // What was attached since is up to its own operation.
    .where(sql<boolean>`not exists (select from operation_subjects s where s.subject = vm_interfaces.id)`)
    .execute();
}
