import { sql } from 'kysely';
import type { Placement } from '../../../engines/compute/port.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Db } from '../../../store/database.ts';

interface PlacementGroupsTable extends OwnedTable {
  location: string;
  policy: 'spread' | 'compact';
  strict: boolean;
}

declare module '../../../store/database.ts' {
  interface Tables {
    placement_groups: PlacementGroupsTable;
  }
}

/** Excludes machines that are being deleted, so their places in the group are free. */
export const vmIds = sql<string[]>`
  array(
    select vms.id from vms
    where vms.placement_group_id = placement_groups.id and vms.status <> 'deleting'
    order by vms.id
  )`;

export async function readMembers(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('vms')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ type: 'vm', ...row }));
}

/** Removes the references of machines that are being deleted, so that the group can be deleted before them. */
export async function detachLeaving(db: Db, id: string): Promise<void> {
  await db
    .updateTable('vms')
    .set({ placement_group_id: null, version: sql`version + 1`, updated_at: sql`now()` })
    .where('placement_group_id', '=', id)
    .where('status', '=', 'deleting')
    .execute();
}

/** The placement of a machine in the form that engines take; `null` if the machine is in no group. */
export async function placementOf(
  db: Db,
  groupId: string | null,
  ownVmId: string,
): Promise<Placement | null> {
  if (groupId === null) return null;
  const group = await db
    .selectFrom('placement_groups')
    .select(['policy', 'strict', vmIds.as('vm_ids')])
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (group === undefined) return null;
  const { policy, strict, vm_ids } = group;
  return { groupId, policy, strict, others: vm_ids.filter((id) => id !== ownVmId) };
}
