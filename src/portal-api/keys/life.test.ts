import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPublicId } from '../../kernel/access/key-format.ts';
import { findBreak } from '../../kernel/audit/store.ts';
import {
  actorOf,
  catalogue,
  fieldsOf,
  openPortal,
  refusalOf,
  rules,
  staff,
  type TestPortal,
  untilWaiting,
} from '../../testing/portal.ts';
import { setKeyPolicy, suspendAllKeys } from '../accounts/key-policy.ts';
import { setLimit } from '../accounts/limits.ts';
import { changeRole, suspendMember } from '../members/members.ts';
import { changeKey } from './change.ts';
import { createKey } from './creation.ts';
import { resumeKey, revokeKey, suspendKey } from './life.ts';
import { listKeys } from './list.ts';
import { transferKey } from './ownership.ts';
import { rollKey } from './roll.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

async function keyOf(account_id: string, name = 'ci', owner_id?: string) {
  const input = {
    account_id,
    name,
    permissions: ['storage:buckets:read'],
    ...(owner_id ? { owner_id } : {}),
  };
  return (await createKey(portal.db, staff, input, rules)).key;
}

async function newKey() {
  const { account, owner } = await portal.newAccount();
  const key = await keyOf(account.id);
  return { account, owner, key, input: { account_id: account.id, key_id: key.id } };
}

const expire = (id: string) =>
  portal.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', id)
    .execute();

describe('pausing a key', () => {
  it('suspends and resumes it, each with one audit entry', async () => {
    const { account, input } = await newKey();
    expect(await suspendKey(portal.db, staff, input)).toMatchObject({ status: 'suspended', version: 2 });
    expect(await suspendKey(portal.db, staff, input)).toMatchObject({ status: 'suspended', version: 2 });
    expect(await resumeKey(portal.db, staff, input)).toMatchObject({ status: 'active', version: 3 });
    const entries = (await portal.audit(account.id)).slice(2);
    expect(entries.map(({ action, changes }) => [action, changes.length])).toEqual([
      ['suspendApiKey', 1],
      ['suspendApiKey', 0],
      ['resumeApiKey', 1],
    ]);
  });

  it('changes nothing for a key that has ended', async () => {
    const { input, key } = await newKey();
    await expire(key.id);
    expect((await refusalOf(suspendKey(portal.db, staff, input))).extra).toMatchObject({
      current_state: 'expired',
    });
    await revokeKey(portal.db, staff, input);
    const revived = await refusalOf(resumeKey(portal.db, staff, input));
    expect([revived.code, revived.extra.current_state]).toEqual(['invalid_state', 'revoked']);
  });

  it('shows a key as suspended with its owner and with the switch of the account', async () => {
    const { account, input } = await newKey();
    await suspendAllKeys(portal.db, staff, { account_id: account.id, suspended: true });
    expect(await resumeKey(portal.db, staff, input)).toMatchObject({ status: 'suspended' });
    await suspendAllKeys(portal.db, staff, { account_id: account.id, suspended: false });
    const member = await portal.newMember(account.id, 'developer');
    await keyOf(account.id, 'theirs', member.id);
    await suspendMember(portal.db, staff, { account_id: account.id, member_id: member.id });
    expect((await listKeys(portal.db, account.id)).map(({ status }) => status)).toEqual([
      'active',
      'suspended',
    ]);
  });
});

describe('revoking a key', () => {
  it('is final, keeps the reason, and repeating it changes nothing', async () => {
    const { account, input } = await newKey();
    const revoked = await revokeKey(portal.db, staff, { ...input, reason: 'leaked', comment: 'In a paste' });
    expect(revoked).toMatchObject({
      status: 'revoked',
      revoked: { by: 'provider_staff:operator', reason: 'leaked', comment: 'In a paste' },
    });
    const again = await revokeKey(portal.db, staff, { ...input, reason: 'unused' });
    expect(again).toEqual(revoked);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({ action: 'revokeApiKey', changes: [] });
    const bad = revokeKey(portal.db, staff, { ...input, reason: 'x', comment: 'c'.repeat(201) } as never);
    expect(fieldsOf(await refusalOf(bad))).toEqual(['/comment too_long', '/reason invalid_format']);
  });

  it('also ends an expired key', async () => {
    const { input, key } = await newKey();
    await expire(key.id);
    expect(await revokeKey(portal.db, staff, input)).toMatchObject({ status: 'revoked' });
  });

  it('is allowed for the owner of the key and for admins only', async () => {
    const { account, input } = await newKey();
    const developer = await portal.newMember(account.id, 'developer');
    const admin = await portal.newMember(account.id, 'admin');
    const own = await keyOf(account.id, 'own', developer.id);
    expect((await refusalOf(revokeKey(portal.db, actorOf(developer), input))).code).toBe('permission_denied');
    const ownInput = { account_id: account.id, key_id: own.id };
    expect(await suspendKey(portal.db, actorOf(developer), ownInput)).toMatchObject({ status: 'suspended' });
    expect(await revokeKey(portal.db, actorOf(admin), input)).toMatchObject({ revoked: { by: admin.id } });
  });

  it('404: is refused for keys of other accounts', async () => {
    const { key } = await newKey();
    const { account } = await portal.newAccount();
    const foreign = { account_id: account.id, key_id: key.id };
    expect((await refusalOf(revokeKey(portal.db, staff, foreign))).code).toBe('not_found');
  });

  it('wins over a concurrent resume', async () => {
    const { input, key } = await newKey();
    await suspendKey(portal.db, staff, input);
    let resumed: Promise<unknown> | undefined;
    // Revokes the key as the API does: with a lock on the key's row only, not on the account's row.
    await portal.db.transaction().execute(async (tx) => {
      await tx.updateTable('api_keys').set({ status: 'revoked' }).where('id', '=', key.id).execute();
      resumed = refusalOf(resumeKey(portal.db, staff, input));
      await untilWaiting(portal.db, 1);
    });
    expect(await resumed).toMatchObject({ code: 'invalid_state' });
  });
});

describe('rolling a key', () => {
  it.each([
    ['0', 0],
    ['1h', 3600],
    ['24h', 86_400],
    ['7d', 604_800],
  ] as const)('makes a successor and ends the old one after %s', async (overlap, seconds) => {
    const { account, input, key } = await newKey();
    const rolled = await rollKey(portal.db, staff, { ...input, overlap }, rules);
    expect(rolled.key).toMatchObject({
      name: 'ci',
      permissions: key.permissions,
      owner: key.owner,
      expires_in: '90d',
      status: 'active',
    });
    expect(readPublicId(rolled.secret)).toBe(rolled.key.public_id);
    const [old] = await listKeys(portal.db, account.id, key.id);
    expect(old).toMatchObject({ replaced_by: rolled.key.id, status: seconds === 0 ? 'expired' : 'active' });
    expect(Math.abs((Number(old?.expires_at) - Date.now()) / 1000 - seconds)).toBeLessThan(60);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'rollApiKey',
      changes: [{ pointer: '/replaced_by', before: null, after: rolled.key.id }],
    });
    expect(JSON.stringify(await portal.audit(account.id))).not.toContain(rolled.secret);
    expect(await findBreak(portal.db, account.id)).toBeNull();
  });

  it('never extends the life of the old key', async () => {
    const { account, input, key } = await newKey();
    const end = new Date(Date.now() + 600_000);
    await portal.db.updateTable('api_keys').set({ expires_at: end }).where('id', '=', key.id).execute();
    await rollKey(portal.db, staff, { ...input, overlap: '7d' }, rules);
    expect((await listKeys(portal.db, account.id, key.id))[0]?.expires_at).toEqual(end);
  });

  it('also replaces an expired key, unless its name was taken meanwhile', async () => {
    const { account, input, key } = await newKey();
    await expire(key.id);
    const other = await keyOf(account.id);
    expect((await refusalOf(rollKey(portal.db, staff, input, rules))).code).toBe('name_taken');
    await revokeKey(portal.db, staff, { account_id: account.id, key_id: other.id });
    expect((await rollKey(portal.db, staff, input, rules)).key.status).toBe('active');
  });

  it('is possible once per key, and not for suspended or revoked ones', async () => {
    const { account, input } = await newKey();
    const outcomes = await Promise.allSettled([
      rollKey(portal.db, staff, input, rules),
      rollKey(portal.db, staff, input, rules),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await listKeys(portal.db, account.id)).toHaveLength(2);
    const second = await newKey();
    await suspendKey(portal.db, staff, second.input);
    expect((await refusalOf(rollKey(portal.db, staff, second.input, rules))).code).toBe('invalid_state');
    await revokeKey(portal.db, staff, second.input);
    expect((await refusalOf(rollKey(portal.db, staff, second.input, rules))).code).toBe('invalid_state');
  });

  it('applies the present key policy, and works at the limit of keys', async () => {
    const { account, input } = await newKey();
    await setKeyPolicy(portal.db, staff, { account_id: account.id, max_lifetime_days: 30 });
    expect(fieldsOf(await refusalOf(rollKey(portal.db, staff, input, rules)))).toEqual([
      '/expires_in out_of_range',
    ]);
    await setLimit(
      portal.db,
      staff,
      { account_id: account.id, limit_id: 'account.api-keys', value: 1 },
      catalogue,
    );
    const rolled = await rollKey(portal.db, staff, { ...input, expires_in: '30d' }, rules);
    expect(rolled.key.expires_in).toBe('30d');
  });
});

describe('rolling a key with other permissions', () => {
  const permissions = ['storage:buckets:read', 'storage:buckets:delete'];

  it('gives them to the successor alone, under the same name', async () => {
    const { account, input, key } = await newKey();
    const rolled = await rollKey(portal.db, staff, { ...input, permissions }, rules);
    expect(rolled.key).toMatchObject({ name: 'ci', permissions, expires_in: key.expires_in, preset: null });
    expect((await listKeys(portal.db, account.id, key.id))[0]?.permissions).toEqual(['storage:buckets:read']);
    expect((await portal.audit(account.id)).at(-1)?.changes).toEqual([
      { pointer: '/replaced_by', before: null, after: rolled.key.id },
      { pointer: '/permissions', before: ['storage:buckets:read'], after: permissions },
    ]);
  });

  it('refuses what the role of its owner lacks, but keeps what the key has', async () => {
    const { account } = await portal.newAccount();
    const developer = await portal.newMember(account.id, 'developer');
    const key = await keyOf(account.id, 'ci', developer.id);
    const input = { account_id: account.id, key_id: key.id };
    await changeRole(portal.db, staff, { account_id: account.id, member_id: developer.id, role: 'viewer' });
    await portal.db
      .updateTable('api_keys')
      .set({ permissions: ['storage:buckets:write'] })
      .where('id', '=', key.id)
      .execute();
    const roll = (wanted: string[]) =>
      rollKey(portal.db, actorOf(developer), { ...input, permissions: wanted }, rules);
    expect(fieldsOf(await refusalOf(roll(['storage:buckets:write', 'storage:buckets:delete'])))).toEqual([
      '/permissions/1 out_of_range',
    ]);
    const kept = ['storage:buckets:write', 'storage:buckets:read'];
    expect((await roll(kept)).key.permissions).toEqual(kept);
  });
});

describe('changing the words on a key', () => {
  it('renames it and rewrites its notes, with one audit entry', async () => {
    const { account, input } = await newKey();
    const changed = await changeKey(portal.db, staff, { ...input, name: 'build', notes: 'On the runner' });
    expect(changed).toMatchObject({ name: 'build', notes: 'On the runner', version: 2 });
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'changeApiKey',
      changes: [
        { pointer: '/name', before: 'ci', after: 'build' },
        { pointer: '/notes', before: '', after: 'On the runner' },
      ],
    });
    expect(await changeKey(portal.db, staff, { ...input, name: 'build' })).toMatchObject({ version: 2 });
  });

  it('refuses a name that another key has, a foreign key, and a key that has ended', async () => {
    const { account, input } = await newKey();
    await keyOf(account.id, 'taken');
    const rename = (actor = staff) => changeKey(portal.db, actor, { ...input, name: 'taken' });
    expect((await refusalOf(rename())).code).toBe('name_taken');
    const developer = await portal.newMember(account.id, 'developer');
    expect((await refusalOf(rename(actorOf(developer)))).code).toBe('permission_denied');
    await revokeKey(portal.db, staff, input);
    expect((await refusalOf(rename())).code).toBe('invalid_state');
  });
});

describe('transferring a key', () => {
  it('gives it to a member who may own one more key', async () => {
    const { account, input } = await newKey();
    const account_id = account.id;
    const operator = await portal.newMember(account_id, 'operator');
    const billing = await portal.newMember(account_id, 'billing');
    const transfer = (owner_id: string, actor = staff) =>
      transferKey(portal.db, actor, { ...input, owner_id }, catalogue);
    expect(fieldsOf(await refusalOf(transfer(billing.id)))).toEqual(['/owner_id incompatible']);
    expect(fieldsOf(await refusalOf(transfer('mem_none')))).toEqual(['/owner_id unknown_reference']);
    expect((await refusalOf(transfer(operator.id, actorOf(operator)))).code).toBe('permission_denied');
    const limit = { account_id, limit_id: 'account.api-keys-per-member' };
    await setLimit(portal.db, staff, { ...limit, value: 0 }, catalogue);
    expect((await refusalOf(transfer(operator.id))).code).toBe('quota_exceeded');
    await setLimit(portal.db, staff, limit, catalogue);
    expect(await transfer(operator.id)).toMatchObject({
      owner: { member_id: operator.id, name: operator.name },
      version: 2,
    });
    expect(await transfer(operator.id)).toMatchObject({ version: 2 });
  });
});
