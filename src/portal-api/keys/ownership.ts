import { invalid } from '../../kernel/problems/problem.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { findMember, type MemberRow } from '../members/store.ts';
import { change, notFound } from '../portal-write.ts';
import { countKeysOf, type KeyRow, lockKey, readKey, updateKeys } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

/** Finds a member that can own keys: active, and not with the role `billing`. */
export async function findRecipient(
  tx: Tx,
  accountId: string,
  memberId: string,
  pointer: string,
): Promise<MemberRow> {
  const member = await findMember(tx, accountId, memberId);
  if (member === undefined) {
    const detail = `The account has no member ${memberId}.`;
    throw invalid([{ pointer, code: 'unknown_reference', detail }]);
  }
  const reason =
    member.status !== 'active'
      ? `is ${member.status}`
      : member.role === 'billing'
        ? 'has the role billing'
        : null;
  if (reason === null) return member;
  const detail = `${member.name} ${reason} and may not own keys.`;
  throw invalid([{ pointer, code: 'incompatible', detail }]);
}

/** Members may change their own keys; owners and admins may change all keys. */
export async function keyToChange(tx: Tx, actor: Actor, accountId: string, keyId: string): Promise<KeyRow> {
  const key = await lockKey(tx, accountId, keyId);
  const isOwn = actor.kind === 'member' && key?.owner_id === actor.memberId;
  await authorise(tx, actor, accountId, isOwn ? 'member' : 'admin');
  if (key === undefined) throw notFound('API key', keyId);
  return key;
}

const TransferKey = Shape({
  account_id: Type.String(),
  key_id: Type.String(),
  owner_id: Type.String(),
});
export type TransferKey = Static<typeof TransferKey>;

/**
 * The key keeps its patterns. From now on its permissions are those that both the patterns and the new
 * owner's role allow.
 */
export async function transferKey(
  db: Db,
  actor: Actor,
  input: TransferKey,
  catalogue: Limits,
): Promise<KeyView> {
  return change(db, actor, 'transferApiKey', input.account_id, async (tx, account) => {
    check(TransferKey, input);
    await authorise(tx, actor, account.id, 'admin');
    const key = await keyToChange(tx, actor, account.id, input.key_id);
    const owner = await findRecipient(tx, account.id, input.owner_id, '/owner_id');
    const resource = { type: 'api_key', id: key.id, name: key.name };
    if (key.owner_id === owner.id) return { result: viewKey(key), resource, changes: [] };
    const used = await countKeysOf(tx, owner.id);
    await requireRoom(tx, account.id, 'account.api-keys-per-member', { used }, catalogue);
    await updateKeys(tx, [key.id], { owner_id: owner.id, owner_name: owner.name });
    const changes = [{ pointer: '/owner_id', before: key.owner_id, after: owner.id }];
    return { result: viewKey(await readKey(tx, key.id)), resource, changes };
  });
}
