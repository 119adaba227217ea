/** For every call that takes `placement_group_id`. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { type PlacementGroupRow, placementGroups } from './endpoints.ts';

/**
 * The group, held until the transaction ends so that nobody else takes the last place or deletes it. A machine that is
 * in it already (`ownVmId`) takes no further place.
 */
export async function requirePlacementGroup(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'now'>,
  id: string,
  location: string,
  pointer: string,
  ownVmId?: string,
): Promise<PlacementGroupRow> {
  const group = await placementGroups.lock(call, { by: 'id', value: id });
  const refuse = (code: FieldError['code'], detail: string) => invalid([{ pointer, code, detail }]);
  if (group === undefined)
    throw refuse('unknown_reference', 'There is no such placement group in this account.');
  if (group.location !== location)
    throw refuse('location_mismatch', `The placement group is in ${group.location}, not in ${location}.`);
  const others = group.vm_ids.filter((vmId) => vmId !== ownVmId).length;
  await requireRoomIn(call, 'flexible-vps.vms-per-placement-group', others);
  return group;
}
