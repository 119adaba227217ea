import { type Insertable, sql } from 'kysely';
import type { Db, Tables } from '../../../../store/database.ts';
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

export async function insertInterfaces(
  db: Db,
  rows: readonly Insertable<Tables['vm_interfaces']>[],
): Promise<void> {
  if (rows.length > 0)
    await db
      .insertInto('vm_interfaces')
      .values([...rows])
      .execute();
}

/** False: somebody has one of them already. */
export async function holdAddresses(
  db: Db,
  rows: readonly Insertable<Tables['network_addresses']>[],
): Promise<boolean> {
  if (rows.length === 0) return true;
  const held = await db
    .insertInto('network_addresses')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['network_id', 'address']).doNothing())
    .returning('address')
    .execute();
  return held.length === rows.length;
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
