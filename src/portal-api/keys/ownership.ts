import { invalid, Problem } from '../../kernel/problems/problem.ts';
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

/**
 * Finds a member that can own keys: active, and not with the role `billing`. The former owner still knows the secret of
 * the key, so only owners may lift a key to the rights of an owner.
 */
export async function findRecipient(
  tx: Tx,
  actor: Actor,
  accountId: string,
  memberId: string,
  pointer: string,
): Promise<MemberRow> {
  const role = await authorise(tx, actor, accountId, 'admin');
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
  const isAboveActor = member.role === 'owner' && role !== null && role !== 'owner';
  if (reason === null && !isAboveActor) return member;
  const detail =
    reason === null
      ? `${member.name} is an owner of the account, and only owners may give them keys: who knows the secret of the key could then act as an owner. Choose yourself or another member.`
      : `${member.name} ${reason} and may not own keys.`;
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

const notYours = ({ name, owner_id, owner_name }: KeyRow): Problem => {
  const ask = owner_id === null ? '' : `Ask ${owner_name} to roll it. Otherwise: `;
  return new Problem('permission_denied', {
    detail: `The API key ${name} belongs to ${owner_name}. Whoever rolls a key sees its new secret, so only its owner may.`,
    nextStep: `${ask}Owners and admins of the account can revoke the key, or transfer it to themselves and then roll it. It may then do at most what its new owner may.`,
    extra: { denied_by: ['role'] },
  });
};

/** Whoever rolls a key sees the new secret, so members may roll only their own keys, whatever their role. */
export async function keyToRoll(tx: Tx, actor: Actor, accountId: string, keyId: string): Promise<KeyRow> {
  const key = await lockKey(tx, accountId, keyId);
  await authorise(tx, actor, accountId, 'reader');
  if (key === undefined) throw notFound('API key', keyId);
  if (actor.kind === 'member' && key.owner_id !== actor.memberId) throw notYours(key);
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
    const owner = await findRecipient(tx, actor, account.id, input.owner_id, '/owner_id');
    const resource = { type: 'api_key', id: key.id, name: key.name };
    if (key.owner_id === owner.id) return { result: viewKey(key), resource, changes: [] };
    const used = await countKeysOf(tx, owner.id);
    await requireRoom(tx, account.id, 'account.api-keys-per-member', { used }, catalogue);
    await updateKeys(tx, [key.id], { owner_id: owner.id, owner_name: owner.name });
    const changes = [{ pointer: '/owner_id', before: key.owner_id, after: owner.id }];
    return { result: viewKey(await readKey(tx, key.id)), resource, changes };
  });
}
