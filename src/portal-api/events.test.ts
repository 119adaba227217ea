import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountEventTypes } from '../kernel/events/account-types.ts';
import '../kernel/events/store.ts';
import { faultsOf } from '../kernel/validation.ts';
import { catalogue, openPortal, refusalOf, rules, staff, type TestPortal } from '../testing/portal.ts';
import { suspendAllKeys } from './accounts/key-policy.ts';
import { setLimit } from './accounts/limits.ts';
import { setProduct } from './accounts/products.ts';
import { setAccountStatus } from './accounts/status.ts';
import { addAllowlistEntry, removeAllowlistEntry } from './allowlist/entries.ts';
import { setAllowlistMode } from './allowlist/mode.ts';
import { createKey } from './keys/creation.ts';
import { resumeKey, revokeKey, suspendKey } from './keys/life.ts';
import { rollKey } from './keys/roll.ts';
import { addMember, changeRole, suspendMember } from './members/members.ts';
import { removeMember } from './members/removal.ts';
import { change } from './portal-write.ts';

let portal: TestPortal;

beforeAll(async () => {
  portal = await openPortal();
});

afterAll(() => portal.close());

async function eventsOf(accountId: string) {
  const rows = await portal.db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('sequence')
    .execute();
  for (const { type, data } of rows) {
    const declared = accountEventTypes.find((known) => known.type === type);
    expect([type, declared && faultsOf(declared.data, data)]).toEqual([type, []]);
  }
  return rows;
}

const typesOf = async (accountId: string): Promise<string[]> =>
  (await eventsOf(accountId)).map(({ type }) => type);

describe('events are written in order for changes that people make', () => {
  it('of the account', async () => {
    const { db } = portal;
    const { account } = await portal.newAccount();
    const account_id = account.id;
    await setAccountStatus(db, staff, { account_id, status: 'restricted' });
    await setAccountStatus(db, staff, { account_id, status: 'restricted' });
    await setAccountStatus(db, staff, { account_id, status: 'suspended' });
    await setAccountStatus(db, staff, { account_id, status: 'active' });
    await setAccountStatus(db, staff, { account_id, status: 'closing' });
    await setAccountStatus(db, staff, { account_id, status: 'active' });
    await setProduct(db, staff, { account_id, family: 'datacenter', enabled: true });
    await setProduct(db, staff, { account_id, family: 'datacenter', enabled: false, reason: 'ended' });
    await setProduct(db, staff, { account_id, family: 'datacenter', enabled: false, reason: 'other words' });
    await setLimit(db, staff, { account_id, limit_id: 'account.api-keys', value: 150 }, catalogue);
    await setLimit(db, staff, { account_id, limit_id: 'account.api-keys', value: 90 }, catalogue);
    const events = await eventsOf(account_id);
    expect(events.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'account.restricted'],
      [2, 'account.suspended'],
      [3, 'account.reinstated'],
      [4, 'account.closing'],
      [5, 'account.reinstated'],
      [6, 'account.product_enabled'],
      [7, 'account.product_disabled'],
      [8, 'limit.raised'],
    ]);
    expect(events[0]).toMatchObject({
      family: 'account',
      severity: 'warning',
      actor: { kind: 'provider_staff', api_key_id: null, member_id: null },
      data: { before: 'active', after: 'restricted' },
    });
  });

  it('of keys', async () => {
    const { db } = portal;
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const input = { account_id, name: 'ci', permissions: ['storage:buckets:read'] };
    const { key, secret } = await createKey(db, staff, input, rules);
    const key_id = key.id;
    await suspendKey(db, staff, { account_id, key_id });
    await resumeKey(db, staff, { account_id, key_id });
    await suspendAllKeys(db, staff, { account_id, suspended: true });
    await suspendKey(db, staff, { account_id, key_id });
    await resumeKey(db, staff, { account_id, key_id });
    await suspendAllKeys(db, staff, { account_id, suspended: false });
    await rollKey(db, staff, { account_id, key_id }, rules);
    await revokeKey(db, staff, { account_id, key_id, reason: 'leaked' });
    await revokeKey(db, staff, { account_id, key_id });
    expect(await typesOf(account_id)).toEqual([
      'api_key.created',
      'api_key.suspended',
      'api_key.resumed',
      // While the account's switch suspends all keys, suspending or resuming this one changes nothing and
      // emits no event.
      'api_key.suspended',
      'api_key.resumed',
      'api_key.rolled',
      'api_key.created',
      'api_key.revoked',
    ]);
    expect(JSON.stringify(await eventsOf(account_id))).not.toContain(secret.slice(18));
  });

  it('of members', async () => {
    const { db } = portal;
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const email = 'bo@example.com';
    const { id: member_id } = await addMember(db, staff, { account_id, name: 'Bo', email, role: 'viewer' });
    await changeRole(db, staff, { account_id, member_id, role: 'admin' });
    await changeRole(db, staff, { account_id, member_id, role: 'admin' });
    const input = { account_id, name: 'bo', owner_id: member_id, permissions: ['storage:buckets:read'] };
    const { key } = await createKey(db, staff, input, rules);
    await suspendMember(db, staff, { account_id, member_id });
    await removeMember(db, staff, { account_id, member_id }, catalogue);
    const events = await eventsOf(account_id);
    expect(events.map(({ type }) => type)).toEqual([
      'member.joined',
      'member.role_changed',
      'api_key.created',
      'member.suspended',
      'api_key.revoked',
      'member.removed',
    ]);
    expect(events.at(-1)?.data).toEqual({ revoked_keys: [key.id], transferred_keys: [] });
  });

  it('of the allowlist', async () => {
    const { db } = portal;
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const { entry } = await addAllowlistEntry(db, staff, { account_id, cidr: '192.0.2.0/24' }, catalogue);
    await setAllowlistMode(db, staff, { account_id, mode: 'report_only' });
    await setAllowlistMode(db, staff, { account_id, mode: 'report_only' });
    await removeAllowlistEntry(db, staff, { account_id, entry_id: entry.id });
    expect(await typesOf(account_id)).toEqual([
      'ip_allowlist.entries_changed',
      'ip_allowlist.mode_changed',
      'ip_allowlist.entries_changed',
      'ip_allowlist.empty',
    ]);
  });
});

describe('no event is written', () => {
  it('for a refused change', async () => {
    const { account } = await portal.newAccount();
    const input = { account_id: account.id, name: 'ci', permissions: ['no:such:read'] };
    await refusalOf(createKey(portal.db, staff, input, rules));
    expect(await typesOf(account.id)).toEqual([]);
  });

  it('for an undeclared event type: the change is rolled back', async () => {
    const { account } = await portal.newAccount();
    const resource = { type: 'account', id: account.id, name: null };
    const attempt = change(portal.db, staff, 'test', account.id, async (tx) => {
      await tx.updateTable('accounts').set({ name: 'Changed' }).where('id', '=', account.id).execute();
      const events = [{ type: 'account.painted', resource: null, message: 'The account was painted.' }];
      return { result: null, resource, changes: [], events };
    });
    await expect(attempt).rejects.toThrow(/account\.painted/);
    const row = await portal.db
      .selectFrom('accounts')
      .select('name')
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
    expect(row.name).toBe(account.name);
  });
});
