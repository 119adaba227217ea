/** Replaces an API key by a new one with a new secret, while the old key keeps working for a short time. */
import { issueKey } from '../../kernel/access/key-format.ts';
import { lifetimes } from '../../kernel/access/lifetimes.ts';
import type { AuditChange } from '../../kernel/audit/entry.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { check, refuse } from '../input.ts';
import { requireRoom } from '../limits.ts';
import { findMember } from '../members/store.ts';
import { change } from '../portal-write.ts';
import { patternFaults, patternWarnings } from './ceiling.ts';
import { type KeyRules, type NewKey, requireFreeName } from './creation.ts';
import { createdEvent, rolledEvent } from './events.ts';
import { lifetimeFaults, lifetimeHours } from './lifetime.ts';
import { keyToRoll } from './ownership.ts';
import { countKeys, countKeysOf, endKey, insertKey, type KeyRow, readKey } from './store.ts';
import { viewKey } from './view.ts';

export const overlaps = ['0', '1h', '24h', '7d'] as const;
const overlapHours = { '0': 0, '1h': 1, '24h': 24, '7d': 168 } as const;

const RollKey = Shape({
  account_id: Type.String(),
  key_id: Type.String(),
  /** How long the old key keeps working beside the new one. */
  overlap: Type.Optional(OneOf(overlaps)),
  /** Defaults to the lifetime of the old key. */
  expires_in: Type.Optional(OneOf(lifetimes)),
  /** Defaults to the permissions of the old key. */
  permissions: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 })),
});
export type RollKey = Static<typeof RollKey>;

/** A suspended key cannot be rolled: its owner would get a working key back under a new secret. */
function requireRollable(key: KeyRow): void {
  if (key.replaced_by !== null) {
    throw new Problem('invalid_state', {
      detail: `The API key ${key.name} was rolled already; its successor is ${key.replaced_by}.`,
      extra: { current_state: key.state, allowed_states: ['active', 'expired'] },
    });
  }
  if (key.state === 'active' || key.state === 'expired') return;
  throw new Problem('invalid_state', {
    detail: `The API key ${key.name} is ${key.state} and cannot be rolled.`,
    extra: { current_state: key.state, allowed_states: ['active', 'expired'] },
  });
}

/**
 * The permissions of the successor. It may keep what the old key has, even if its owner's role has become smaller, because
 * every request checks the role again; what is added must be within the role.
 */
async function planPermissions(
  tx: Tx,
  old: KeyRow,
  wanted: readonly string[] | undefined,
  { vocabulary }: KeyRules,
): Promise<Pick<KeyRow, 'permissions' | 'preset'> & { readonly changes: readonly AuditChange[] }> {
  const { permissions: before, preset } = old;
  if (wanted === undefined) return { permissions: before, preset, changes: [] };
  const owner = old.owner_id === null ? undefined : await findMember(tx, old.account_id, old.owner_id);
  const faults = patternFaults(wanted, vocabulary, owner?.role);
  const isAdded = ({ pointer }: FieldError): boolean =>
    !before.includes(wanted[Number(pointer.split('/').at(-1))] ?? '');
  refuse(faults.filter(isAdded));
  const permissions = [...new Set(wanted)];
  const isSame = permissions.length === before.length && before.every((each) => permissions.includes(each));
  if (isSame) return { permissions, preset, changes: [] };
  return { permissions, preset: null, changes: [{ pointer: '/permissions', before, after: permissions }] };
}

export async function rollKey(db: Db, actor: Actor, input: RollKey, rules: KeyRules): Promise<NewKey> {
  return change(db, actor, 'rollApiKey', input.account_id, async (tx, account) => {
    check(RollKey, input);
    const old = await keyToRoll(tx, actor, account.id, input.key_id);
    requireRollable(old);
    const expires_in = input.expires_in ?? old.expires_in;
    refuse(lifetimeFaults(expires_in, account));
    const { permissions, preset, changes } = await planPermissions(tx, old, input.permissions, rules);
    const id = newId('api_key');
    await endKey(tx, old.id, overlapHours[input.overlap ?? '24h'], id);
    // An expired key no longer counts for its name and for the limits, so another key may have taken both.
    await requireFreeName(tx, account.id, old.name);
    const { catalogue } = rules;
    await requireRoom(
      tx,
      account.id,
      'account.api-keys',
      { used: await countKeys(tx, account.id) },
      catalogue,
    );
    if (old.owner_id !== null) {
      const used = await countKeysOf(tx, old.owner_id);
      await requireRoom(tx, account.id, 'account.api-keys-per-member', { used }, catalogue);
    }
    const { key: secret, publicId, hash } = issueKey();
    const { name, approval, approval_over_monthly, owner_id, owner_name, notes } = old;
    const row = await insertKey(tx, {
      id,
      account_id: account.id,
      public_id: publicId,
      hash,
      name,
      permissions,
      preset,
      approval,
      approval_over_monthly,
      owner_id,
      owner_name,
      notes,
      first_key_id: old.lineage,
      expires_in,
      lifetimeHours: lifetimeHours(expires_in),
    });
    return {
      result: { key: viewKey(row), secret, warnings: patternWarnings(permissions, rules.vocabulary) },
      resource: { type: 'api_key', id: old.id, name },
      changes: [{ pointer: '/replaced_by', before: null, after: id }, ...changes],
      events: [rolledEvent(await readKey(tx, old.id)), createdEvent(row)],
    };
  });
}
