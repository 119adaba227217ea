import { type Insertable, sql, type Updateable } from 'kysely';
import { Problem } from '../../../kernel/problems/problem.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { VmRow } from './table.ts';

export const { find: findVmIfThere, lock: lockVmIfThere, read: readVm } = rowsOf('vms');

export async function findVm(db: Db, accountId: string, id: string): Promise<VmRow> {
  const row = await findVmIfThere(db, accountId, id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/** Locks the row, so that no other transaction changes the machine until this transaction ends. */
export async function lockVm(db: Db, accountId: string, id: string): Promise<VmRow> {
  const row = await lockVmIfThere(db, accountId, id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}

export function insertVm(db: Db, row: Insertable<Tables['vms']>): Promise<VmRow> {
  return db.insertInto('vms').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Increments the version, because clients can see each change. Returns undefined if the row was deleted. */
export function updateVm(db: Db, id: string, change: Updateable<Tables['vms']>): Promise<VmRow | undefined> {
  return db
    .updateTable('vms')
    .set({ ...change, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteInterfacesOf(db: Db, vmId: string): Promise<void> {
  await db.deleteFrom('vm_interfaces').where('vm_id', '=', vmId).execute();
}

export async function snapshotsOf(
  db: Db,
  vmId: string,
): Promise<{ id: string; name: string; labels: Record<string, string> }[]> {
  return db
    .selectFrom('vm_snapshots')
    .select(['id', 'name', 'labels'])
    .where('vm_id', '=', vmId)
    .orderBy('id')
    .execute();
}
