/** Resolves the `placement_group_id` of a request body. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { placementGroups } from './endpoints.ts';

/**
 * Locks the group until the transaction ends, so that no concurrent call takes its last free place or deletes it.
 * Throws 422 if the group does not fit, and 409 if it is full. A machine that is already a member (`ownVmId`) is not
 * counted twice.
 */
export async function requirePlacementGroup(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'now' | 'event'>,
  id: string,
  location: string,
  pointer: string,
  ownVmId?: string,
) {
  const group = await placementGroups.lock(call, { by: 'id', value: id });
  const refuse = (code: FieldError['code'], detail: string) => invalid([{ pointer, code, detail }]);
  if (group === undefined)
    throw refuse('unknown_reference', 'There is no such placement group in this account.');
  if (group.location !== location)
    throw refuse('location_mismatch', `The placement group is in ${group.location}, not in ${location}.`);
  const others = group.vm_ids.filter((vmId) => vmId !== ownVmId).length;
  await requireRoomIn(call, 'flexible-vps.vms-per-placement-group', id, { before: others });
  return group;
}
