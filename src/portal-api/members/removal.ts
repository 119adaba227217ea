import { revokeKeys } from '../../kernel/access/store.ts';
import { invalid } from '../../kernel/problems/problem.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import { type Actor, labelOf } from '../actor.ts';
import { check } from '../input.ts';
import { revokedEvent } from '../keys/events.ts';
import { findRecipient } from '../keys/ownership.ts';
import { countKeysOf, lockKeysOf, updateKeys } from '../keys/store.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { change } from '../portal-write.ts';
import { memberToChange, requireAnotherOwner } from './members.ts';
import { deleteMember, type MemberRow } from './store.ts';

const RemoveMember = Shape({
  account_id: Type.String(),
  member_id: Type.String(),
  /** The member that receives the keys; without one they are revoked. */
  transfer_keys_to: Type.Optional(Type.String()),
});
export type RemoveMember = Static<typeof RemoveMember>;

export interface RemovedMember {
  readonly member_id: string;
  readonly revoked_keys: readonly string[];
  readonly transferred_keys: readonly string[];
}

export async function removeMember(
  db: Db,
  actor: Actor,
  input: RemoveMember,
  catalogue: Limits,
): Promise<RemovedMember> {
  return change(db, actor, 'removeMember', input.account_id, async (tx, account) => {
    check(RemoveMember, input);
    const { member_id, transfer_keys_to: heirId } = input;
    const member = await memberToChange(tx, actor, account.id, member_id);
    await requireAnotherOwner(tx, member);
    const keys = await lockKeysOf(tx, member_id);
    const ids = keys.map(({ id }) => id);
    if (heirId === undefined) {
      const comment = `The owner of the key, ${member.name}, was removed.`;
      await revokeKeys(tx, ids, { by: labelOf(actor), reason: 'other', comment });
    } else {
      const heir = await findHeir(tx, actor, member, heirId);
      const requested = await countKeysOf(tx, member_id);
      const used = await countKeysOf(tx, heir.id);
      await requireRoom(tx, account.id, 'account.api-keys-per-member', { used, requested }, catalogue);
      await updateKeys(tx, ids, { owner_id: heir.id, owner_name: heir.name });
    }
    await deleteMember(tx, member_id);
    const { name, email, role, status } = member;
    const resource = { type: 'member', id: member_id, name };
    const outcome = {
      revoked_keys: heirId === undefined ? ids : [],
      transferred_keys: heirId === undefined ? [] : ids,
    };
    return {
      result: { member_id, ...outcome },
      resource,
      events: [
        ...(heirId === undefined ? keys.map((key) => revokedEvent(key, actor, 'other')) : []),
        { type: 'member.removed', resource, message: `${name} is no longer a member.`, data: outcome },
      ],
      changes: [
        { pointer: '', before: { name, email, role, status }, after: null },
        ...keys.map((key) =>
          heirId === undefined
            ? { pointer: `/keys/${key.id}/status`, before: key.state, after: 'revoked' }
            : { pointer: `/keys/${key.id}/owner_id`, before: member_id, after: heirId },
        ),
      ],
    };
  });
}

async function findHeir(tx: Tx, actor: Actor, member: MemberRow, heirId: string): Promise<MemberRow> {
  const pointer = '/transfer_keys_to';
  if (heirId !== member.id) return findRecipient(tx, actor, member.account_id, heirId, pointer);
  const detail = 'Choose another member: the keys cannot stay with the removed member.';
  throw invalid([{ pointer, code: 'incompatible', detail }]);
}
