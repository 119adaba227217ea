import { sql } from 'kysely';
import { inPages } from '../../../engines/reconciler/pages.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import { snapshotsIn } from '../disk-snapshots/store.ts';
import type { SnapshotRow } from './table.ts';

export const { read: readSnapshot } = rowsOf('vm_snapshots');

export const {
  byIds: readSnapshots,
  lockOf: lockSnapshotsOf,
  due: dueSnapshots,
} = snapshotsIn('vm_snapshots', 'vm_id');

/** The id of the machine that the snapshot belongs to; undefined if the account has no such snapshot. */
export async function machineOfSnapshot(db: Db, accountId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('vm_snapshots')
    .select('vm_id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.vm_id;
}

/** A snapshot is where its machine is. */
export async function readLocation(db: Db, vmId: string): Promise<string> {
  const vm = await db.selectFrom('vms').select('location').where('id', '=', vmId).executeTakeFirstOrThrow();
  return vm.location;
}

/** Keeps the version, because the size is a measurement and not a change by a caller. */
export function noteSize(db: Db, id: string, sizeBytes: number): Promise<SnapshotRow | undefined> {
  return db
    .updateTable('vm_snapshots')
    .set({ size_bytes: sizeBytes })
    .where('id', '=', id)
    .where('status', '=', 'available')
    .returningAll()
    .executeTakeFirst();
}

export interface User {
  readonly snapshot_id: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** The machines and images that are being created from these snapshots, and machines that are being restored. */
export async function usersOf(db: Db, accountId: string, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<User>`
    select source->>'id' as snapshot_id, 'vm' as type, id, name from vms
    where account_id = ${accountId} and status = 'creating' and source->>'type' = 'snapshot'
      and source->>'id' = any(${[...ids]}::text[])
    union all
    select source->>'id', 'image', id, name from vps_images
    where account_id = ${accountId} and status = 'creating' and source->>'type' = 'snapshot'
      and source->>'id' = any(${[...ids]}::text[])
    union all
    select held.subject, o.resource_type, o.resource_id, coalesce(o.resource_name, '')
    from operation_subjects held join operations o on o.id = held.operation_id
    where held.subject = any(${[...ids]}::text[]) and o.type = 'vm.restore'
    order by 2, 3`.execute(db);
  return rows;
}

/** Whether any operation was started that removes the snapshot, even if that operation failed. */
export async function wasToBeRemoved(
  db: Db,
  { account_id, vm_id, id }: Pick<SnapshotRow, 'account_id' | 'vm_id' | 'id'>,
): Promise<boolean> {
  const { rows } = await sql<{ asked: boolean }>`
    select exists (
      select from operations where account_id = ${account_id} and resource_id = ${id} and type = 'snapshot.delete'
    ) or exists (
      select from operations where account_id = ${account_id} and resource_id = ${vm_id}
        and type in ('vm.restore', 'vm.redeploy') and jsonb_exists(input->'remove', ${id})
    ) as asked`.execute(db);
  return rows[0]?.asked === true;
}

/** In pages. */
export const sizesAt = (db: Db, location: string): AsyncGenerator<Pick<SnapshotRow, 'id' | 'size_bytes'>[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('vm_snapshots')
      .innerJoin('vms', 'vms.id', 'vm_snapshots.vm_id')
      .select(['vm_snapshots.id', 'vm_snapshots.size_bytes'])
      .where('vms.location', '=', location)
      .where('vm_snapshots.status', '=', 'available')
      .where('vm_snapshots.id', '>', after)
      .orderBy('vm_snapshots.id')
      .limit(limit)
      .execute(),
  );
