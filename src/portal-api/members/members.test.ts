import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreak } from '../../kernel/audit/store.ts';
import {
  actorOf,
  catalogue,
  fieldsOf,
  openPortal,
  refusalOf,
  refusalsOf,
  rules,
  staff,
  type TestPortal,
} from '../../testing/portal.ts';
import { setLimit } from '../accounts/limits.ts';
import { createKey } from '../keys/creation.ts';
import { listKeys } from '../keys/list.ts';
import { addMember, changeRole, listMembers, reinstateMember, suspendMember } from './members.ts';
import { removeMember } from './removal.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const newKey = (account_id: string, owner_id: string, name: string) =>
  createKey(portal.db, staff, { account_id, owner_id, name, permissions: ['storage:buckets:read'] }, rules);

describe('members', () => {
  it('are added once per e-mail address, whatever its case', async () => {
    const { account } = await portal.newAccount();
    const input = { account_id: account.id, name: 'Bo', email: 'bo@example.com', role: 'developer' } as const;
    const member = await addMember(portal.db, staff, input);
    expect(member).toMatchObject({ status: 'active', role: 'developer', version: 1 });
    const again = await refusalOf(addMember(portal.db, staff, { ...input, email: 'BO@example.com' }));
    expect(fieldsOf(again)).toEqual(['/email not_unique']);
    expect((await listMembers(portal.db, account.id)).map(({ name }) => name)).toEqual(['Ada', 'Bo']);
    const bad = await refusalOf(
      addMember(portal.db, staff, { account_id: account.id, name: '', email: 'x', role: 'boss' } as never),
    );
    expect(fieldsOf(bad)).toEqual(['/email invalid_format', '/name too_short', '/role invalid_format']);
    const actions = (await portal.audit(account.id)).map(({ action, outcome }) => `${action} ${outcome}`);
    expect(actions).toEqual([
      'createAccount succeeded',
      'addMember succeeded',
      'addMember rejected',
      'addMember rejected',
    ]);
    expect(await findBreak(portal.db, account.id)).toBeNull();
  });

  it('are added once if two calls use the same address at the same time', async () => {
    const { account } = await portal.newAccount();
    const add = (name: string) =>
      addMember(portal.db, staff, {
        account_id: account.id,
        name,
        email: 'same@example.com',
        role: 'viewer',
      });
    const outcomes = await Promise.allSettled([add('One'), add('Two')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await listMembers(portal.db, account.id)).toHaveLength(2);
  });

  it('can change their role, with a warning if their keys stop working', async () => {
    const { account } = await portal.newAccount();
    const member = await portal.newMember(account.id, 'developer');
    await newKey(account.id, member.id, 'deploy');
    const input = { account_id: account.id, member_id: member.id } as const;
    const changed = await changeRole(portal.db, staff, { ...input, role: 'operator' });
    expect(changed).toMatchObject({ member: { role: 'operator', version: 2 }, warnings: [] });
    const idle = await changeRole(portal.db, staff, { ...input, role: 'billing' });
    expect(idle.warnings).toMatchObject([{ code: 'idle_keys' }]);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'changeRole',
      resource: { type: 'member', id: member.id },
      changes: [{ pointer: '/role', before: 'operator', after: 'billing' }],
    });
  });

  it('are not found in another account', async () => {
    const { account } = await portal.newAccount();
    const { owner } = await portal.newAccount();
    const foreign = { account_id: account.id, member_id: owner.id };
    expect((await refusalOf(suspendMember(portal.db, staff, foreign))).code).toBe('not_found');
    expect((await refusalOf(removeMember(portal.db, staff, foreign, catalogue))).code).toBe('not_found');
  });
});

describe('the last active owner', () => {
  it('can neither be demoted, suspended nor removed until there is another', async () => {
    const { account, owner } = await portal.newAccount();
    const input = { account_id: account.id, member_id: owner.id };
    const attempt = () =>
      refusalsOf([
        changeRole(portal.db, staff, { ...input, role: 'admin' }),
        suspendMember(portal.db, staff, input),
        removeMember(portal.db, staff, input, catalogue),
      ]);
    const refused = ['invalid_state', 'invalid_state', 'invalid_state'];
    expect((await attempt()).map(({ code }) => code)).toEqual(refused);
    const second = await portal.newMember(account.id, 'owner');
    await suspendMember(portal.db, staff, { account_id: account.id, member_id: second.id });
    expect((await attempt()).map(({ code }) => code)).toEqual(refused);
    await reinstateMember(portal.db, staff, { account_id: account.id, member_id: second.id });
    expect(await suspendMember(portal.db, staff, input)).toMatchObject({ status: 'suspended' });
  });

  it('remains when two owners remove each other at once', async () => {
    const { account, owner } = await portal.newAccount();
    const second = await portal.newMember(account.id, 'owner');
    const outcomes = await Promise.allSettled([
      removeMember(portal.db, actorOf(owner), { account_id: account.id, member_id: second.id }, catalogue),
      removeMember(portal.db, actorOf(second), { account_id: account.id, member_id: owner.id }, catalogue),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await listMembers(portal.db, account.id)).toMatchObject([{ role: 'owner', status: 'active' }]);
  });
});

describe('what members may do to each other', () => {
  it('admins manage members, but neither make nor touch owners', async () => {
    const { account, owner } = await portal.newAccount();
    const admin = actorOf(await portal.newMember(account.id, 'admin'));
    const viewer = await portal.newMember(account.id, 'viewer');
    const account_id = account.id;
    const refusals = await refusalsOf([
      changeRole(portal.db, admin, { account_id, member_id: viewer.id, role: 'owner' }),
      suspendMember(portal.db, admin, { account_id, member_id: owner.id }),
      addMember(portal.db, actorOf(viewer), {
        account_id,
        name: 'X',
        email: 'x@y.example',
        role: 'viewer',
      }),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([
      'permission_denied',
      'permission_denied',
      'permission_denied',
    ]);
    const changed = await changeRole(portal.db, admin, {
      account_id,
      member_id: viewer.id,
      role: 'operator',
    });
    expect(changed.member.role).toBe('operator');
    await suspendMember(portal.db, staff, { account_id, member_id: viewer.id });
    const suspended = addMember(portal.db, actorOf(viewer), {
      account_id,
      name: 'X',
      email: 'x@y.example',
      role: 'viewer',
    });
    expect((await refusalOf(suspended)).code).toBe('permission_denied');
  });
});

describe('removing a member', () => {
  it('revokes the keys and says so in one entry', async () => {
    const { account } = await portal.newAccount();
    const member = await portal.newMember(account.id, 'developer');
    const { key } = await newKey(account.id, member.id, 'deploy');
    const input = { account_id: account.id, member_id: member.id };
    const removed = await removeMember(portal.db, staff, input, catalogue);
    expect(removed).toEqual({ member_id: member.id, revoked_keys: [key.id], transferred_keys: [] });
    expect(await listKeys(portal.db, account.id)).toMatchObject([
      {
        status: 'revoked',
        owner: { member_id: null, name: member.name },
        revoked: { reason: 'other', by: 'provider_staff:operator' },
      },
    ]);
    const entries = await portal.audit(account.id);
    expect(entries.at(-1)).toMatchObject({
      action: 'removeMember',
      changes: [
        { pointer: '', after: null },
        { pointer: `/keys/${key.id}/status`, before: 'active', after: 'revoked' },
      ],
    });
    expect(entries.map(({ action }) => action)).toEqual([
      'createAccount',
      'addMember',
      'createApiKey',
      'removeMember',
    ]);
  });

  it('transfers the keys if asked, to a member who may own them', async () => {
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const member = await portal.newMember(account_id, 'developer');
    const heir = await portal.newMember(account_id, 'operator');
    const billing = await portal.newMember(account_id, 'billing');
    await newKey(account_id, member.id, 'deploy');
    const remove = (transfer_keys_to: string) =>
      removeMember(portal.db, staff, { account_id, member_id: member.id, transfer_keys_to }, catalogue);
    expect(fieldsOf(await refusalOf(remove(billing.id)))).toEqual(['/transfer_keys_to incompatible']);
    expect(fieldsOf(await refusalOf(remove(member.id)))).toEqual(['/transfer_keys_to incompatible']);
    expect(fieldsOf(await refusalOf(remove('mem_none')))).toEqual(['/transfer_keys_to unknown_reference']);
    await setLimit(
      portal.db,
      staff,
      { account_id, limit_id: 'account.api-keys-per-member', value: 0 },
      catalogue,
    );
    expect((await refusalOf(remove(heir.id))).code).toBe('quota_exceeded');
    await setLimit(portal.db, staff, { account_id, limit_id: 'account.api-keys-per-member' }, catalogue);
    await remove(heir.id);
    expect(await listKeys(portal.db, account_id)).toMatchObject([
      { status: 'active', owner: { member_id: heir.id, name: heir.name } },
    ]);
    expect(await findBreak(portal.db, account_id)).toBeNull();
  });
});
