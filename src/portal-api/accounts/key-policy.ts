import { approvals } from '../../kernel/access/tables.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import { Nullable, OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { resumedEvent, suspendedEvent } from '../keys/events.ts';
import { findKeys } from '../keys/store.ts';
import { change } from '../portal-write.ts';
import { type AccountRow, updateAccount } from './store.ts';

const SetKeyPolicy = Shape({
  account_id: Type.String(),
  max_lifetime_days: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 365 }))),
  non_expiring_allowed: Type.Optional(Type.Boolean()),
  default_approval: Type.Optional(OneOf(approvals)),
});
export type SetKeyPolicy = Static<typeof SetKeyPolicy>;

/** Applies to keys created from now on: existing keys keep their expiry. */
export async function setKeyPolicy(db: Db, actor: Actor, input: SetKeyPolicy): Promise<AccountRow> {
  return change(db, actor, 'setKeyPolicy', input.account_id, async (tx, account) => {
    check(SetKeyPolicy, input, (sound) => {
      const longest = sound.max_lifetime_days ?? null;
      if (longest === null || !sound.non_expiring_allowed) return [];
      const detail = 'A maximum lifetime and keys that never expire exclude each other; choose one.';
      return [{ pointer: '/non_expiring_allowed', code: 'mutually_exclusive', detail }];
    });
    await authorise(tx, actor, account.id, 'owner');
    const { max_lifetime_days, non_expiring_allowed, default_approval } = input;
    // The two settings exclude each other, so setting one resets the other.
    const longest = non_expiring_allowed ? null : max_lifetime_days;
    const endless = typeof max_lifetime_days === 'number' ? false : non_expiring_allowed;
    const after = {
      ...(longest === undefined ? {} : { key_max_lifetime_days: longest }),
      ...(endless === undefined ? {} : { key_non_expiring_allowed: endless }),
      ...(default_approval === undefined ? {} : { key_default_approval: default_approval }),
    };
    return settle(account, after, (values) => updateAccount(tx, account.id, values));
  });
}

const SuspendAllKeys = Shape({ account_id: Type.String(), suspended: Type.Boolean() });
export type SuspendAllKeys = Static<typeof SuspendAllKeys>;

/** The emergency stop: suspends all keys of the account until it is resumed. */
export async function suspendAllKeys(db: Db, actor: Actor, input: SuspendAllKeys): Promise<AccountRow> {
  const action = input.suspended ? 'suspendAllKeys' : 'resumeAllKeys';
  return change(db, actor, action, input.account_id, async (tx, account) => {
    check(SuspendAllKeys, input);
    await authorise(tx, actor, account.id, 'admin');
    const after = { keys_suspended: input.suspended };
    const before = await findKeys(tx, account.id);
    const changed = await settle(account, after, (values) => updateAccount(tx, account.id, values));
    if (changed.changes.length === 0) return changed;
    const keys = input.suspended ? before : await findKeys(tx, account.id);
    const events = keys
      .filter(({ state }) => state === 'active')
      .map((key) => (input.suspended ? suspendedEvent(key) : resumedEvent(key)));
    return { ...changed, events };
  });
}

async function settle(
  account: AccountRow,
  after: Partial<AccountRow>,
  write: (values: Partial<AccountRow>) => Promise<AccountRow>,
) {
  const changes = changesBetween<AccountRow>(account, after);
  const result = changes.length > 0 ? await write(after) : account;
  return { result, resource: { type: 'account', id: account.id, name: account.name }, changes };
}
