import { sql } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import type { SnapshotRow } from '../../tables.ts';

export function findSnapshot(db: Db, vmId: string, id: string): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('vm_snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('vm_id', '=', vmId)
    .forShare()
    .executeTakeFirst();
}

/** As part of what brings the machine up for the first time. */
export async function activateInterfaces(db: Db, vmId: string): Promise<void> {
  await db
    .updateTable('vm_interfaces')
    .set({ status: 'active', version: sql`version + 1`, updated_at: sql`now()` })
    .where('vm_id', '=', vmId)
    .where('status', '=', 'attaching')
    .execute();
}
