/** Suspends, resumes and revokes API keys. */
import { revokeKeys } from '../../kernel/access/store.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import { type Actor, labelOf } from '../actor.ts';
import { check, Line } from '../input.ts';
import { change } from '../portal-write.ts';
import { resumedEvent, revokedEvent, suspendedEvent } from './events.ts';
import { keyToChange } from './ownership.ts';
import { type KeyRow, readKey, updateKeys } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

export const revocationReasons = ['leaked', 'rotated', 'unused', 'other'] as const;

const ChooseKey = Shape({ account_id: Type.String(), key_id: Type.String() });
export type ChooseKey = Static<typeof ChooseKey>;

const resourceOf = ({ id, name }: KeyRow) => ({ type: 'api_key', id, name });

/** Revoked and expired keys are final: they are neither suspended nor resumed nor changed. */
export function requireLiving(key: KeyRow): void {
  if (key.state !== 'revoked' && key.state !== 'expired') return;
  throw new Problem('invalid_state', {
    detail: `The API key ${key.name} is ${key.state}, which is final.`,
    extra: { current_state: key.state, allowed_states: ['active', 'suspended'] },
  });
}

async function setPaused(
  db: Db,
  actor: Actor,
  input: ChooseKey,
  action: string,
  status: 'active' | 'suspended',
) {
  return change(db, actor, action, input.account_id, async (tx, account) => {
    check(ChooseKey, input);
    const key = await keyToChange(tx, actor, account.id, input.key_id);
    requireLiving(key);
    const resource = resourceOf(key);
    if (key.status === status) return { result: viewKey(key), resource, changes: [] };
    await updateKeys(tx, [key.id], { status });
    const changes = [{ pointer: '/status', before: key.status, after: status }];
    const now = await readKey(tx, key.id);
    // A key that is also suspended by its owner's status or the account's switch keeps its effective state,
    // so no event is emitted.
    const isNews = key.state !== now.state;
    const events = isNews ? [status === 'active' ? resumedEvent(key) : suspendedEvent(key)] : [];
    return { result: viewKey(now), resource, changes, events };
  });
}

export async function suspendKey(db: Db, actor: Actor, input: ChooseKey): Promise<KeyView> {
  return setPaused(db, actor, input, 'suspendApiKey', 'suspended');
}

/** The key may still show as suspended, if its owner or all keys of the account are suspended. */
export async function resumeKey(db: Db, actor: Actor, input: ChooseKey): Promise<KeyView> {
  return setPaused(db, actor, input, 'resumeApiKey', 'active');
}

const RevokeKey = Shape({
  account_id: Type.String(),
  key_id: Type.String(),
  reason: Type.Optional(OneOf(revocationReasons)),
  comment: Type.Optional(Line(1, 200)),
});
export type RevokeKey = Static<typeof RevokeKey>;

export async function revokeKey(db: Db, actor: Actor, input: RevokeKey): Promise<KeyView> {
  return change(db, actor, 'revokeApiKey', input.account_id, async (tx, account) => {
    check(RevokeKey, input);
    const key = await keyToChange(tx, actor, account.id, input.key_id);
    const resource = resourceOf(key);
    if (key.status === 'revoked') return { result: viewKey(key), resource, changes: [] };
    const { reason = 'other', comment = null } = input;
    await revokeKeys(tx, [key.id], { by: labelOf(actor), reason, comment });
    const changes = [
      { pointer: '/status', before: key.state, after: 'revoked' },
      { pointer: '/revoked/reason', before: null, after: reason },
    ];
    const events = [revokedEvent(key, actor, reason)];
    return { result: viewKey(await readKey(tx, key.id)), resource, changes, events };
  });
}
