/** The machines in a placement group. */
import { sql } from 'kysely';
import type { Placement } from '../../../engines/compute/port.ts';
import { MOST_NAMED, refuseUsed } from '../../../resources/owned/refuse-used.ts';
import type { Db } from '../../../store/database.ts';

/** Excludes machines that are being deleted, so their places in the group are free. */
export const vmIds = sql<string[]>`
  array(
    select vms.id from vms
    where vms.placement_group_id = placement_groups.id and vms.status <> 'deleting'
    order by vms.id
  )`;

interface Group {
  readonly id: string;
  readonly vm_ids: readonly string[];
}

/**
 * Throws 409 if machines are in the group. Removes the references of machines that are being deleted, so that the group
 * can be deleted before them.
 */
export async function requireEmpty(db: Db, { id, vm_ids }: Group): Promise<void> {
  refuseUsed(await readMembers(db, vm_ids.slice(0, MOST_NAMED)), {
    detail: 'There are machines in the group.',
    nextStep: 'Delete them, or stop them and set their placement_group_id to null, then repeat the call.',
    count: vm_ids.length,
  });
  await db
    .updateTable('vms')
    .set({ placement_group_id: null, version: sql`version + 1`, updated_at: sql`now()` })
    .where('placement_group_id', '=', id)
    .where('status', '=', 'deleting')
    .execute();
}

async function readMembers(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('vms')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ type: 'vm', ...row }));
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
