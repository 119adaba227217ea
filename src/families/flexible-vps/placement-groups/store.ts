import { type Insertable, sql } from 'kysely';
import type { Placement } from '../../../engines/compute/port.ts';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import type { Page } from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { PlacementGroupRow } from './table.ts';

export type PlacementGroupWithMembers = PlacementGroupRow & { readonly vm_ids: string[] };

/** A machine that is being deleted has left its group: its place is free for the one that follows it. */
const vmIds = sql<string[]>`
  array(
    select vms.id from vms
    where vms.placement_group_id = placement_groups.id and vms.status <> 'deleting'
    order by vms.id
  )`.as('vm_ids');

type ListCall = Parameters<typeof readResources>[0] & Pick<Call, 'db'>;

export function listGroups(
  call: ListCall,
  endpoint: string,
  location: string | undefined,
): Promise<Page<PlacementGroupWithMembers>> {
  let query = call.db
    .selectFrom('placement_groups')
    .selectAll('placement_groups')
    .select(vmIds)
    .where('placement_groups.account_id', '=', call.caller.account.id);
  if (location !== undefined) query = query.where('placement_groups.location', '=', location);
  return readResources(call, 'placement_groups', endpoint, query);
}

export async function findGroup(
  db: Db,
  accountId: string,
  by: 'id' | 'name',
  value: string,
): Promise<PlacementGroupWithMembers | undefined> {
  return db
    .selectFrom('placement_groups')
    .selectAll('placement_groups')
    .select(vmIds)
    .where('placement_groups.account_id', '=', accountId)
    .where(`placement_groups.${by}`, '=', value)
    .executeTakeFirst();
}

/** Whoever adds a machine or deletes the group holds this first, so members are read only after it is held. */
export async function lockPlacementGroup(
  db: Db,
  accountId: string,
  id: string,
): Promise<PlacementGroupWithMembers | undefined> {
  await db
    .selectFrom('placement_groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findGroup(db, accountId, 'id', id);
}

/** What the engine is told of the group of a machine; `null` where there is none. */
export async function placementOf(
  db: Db,
  groupId: string | null,
  ownVmId: string,
): Promise<Placement | null> {
  if (groupId === null) return null;
  const group = await db
    .selectFrom('placement_groups')
    .select(['policy', 'strict', vmIds])
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (group === undefined) return null;
  const { policy, strict, vm_ids } = group;
  return { groupId, policy, strict, others: vm_ids.filter((id) => id !== ownVmId) };
}

export async function insertGroup(
  db: Db,
  row: Insertable<Tables['placement_groups']>,
): Promise<PlacementGroupRow> {
  return db.insertInto('placement_groups').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function nameMembers(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('vms')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
}

/** Of an empty group, which is held. What is being deleted may still name it. */
export async function removeGroup(db: Db, id: string): Promise<void> {
  await db
    .updateTable('vms')
    .set({ placement_group_id: null, version: sql`version + 1`, updated_at: sql`now()` })
    .where('placement_group_id', '=', id)
    .where('status', '=', 'deleting')
    .execute();
  await db.deleteFrom('placement_groups').where('id', '=', id).execute();
}
