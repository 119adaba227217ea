import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { matchesDigest, readPublicId, toDigest } from '../../kernel/access/key-format.ts';
import { presetNames } from '../../kernel/access/presets.ts';
import { contractPermissions } from '../../kernel/access/vocabulary.ts';
import { findBreak } from '../../kernel/audit/store.ts';
import { buildRegistry } from '../../kernel/registry.ts';
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
import { setKeyPolicy } from '../accounts/key-policy.ts';
import { setLimit } from '../accounts/limits.ts';
import { setAccountStatus } from '../accounts/status.ts';
import { type CreateKey, createKey } from './creation.ts';
import { suspendKey } from './life.ts';
import { listKeys } from './list.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const make = (account_id: string, input: Partial<CreateKey> = {}, actor = staff) => {
  const chosen = input.preset ? {} : { permissions: ['storage:buckets:read'] };
  return createKey(portal.db, actor, { account_id, name: 'ci', ...chosen, ...input }, rules);
};

const DAY = 86_400_000;
const daysLeft = (at: Date | null) => Math.round((Number(at) - Date.now()) / DAY);

describe('a new key', () => {
  it('shows its secret once, keeps only the hash, and is owned by the owner of the account', async () => {
    const { account, owner } = await portal.newAccount();
    const { key, secret, warnings } = await make(account.id, { notes: 'For the build' });
    expect(key).toMatchObject({
      name: 'ci',
      status: 'active',
      expires_in: '90d',
      permissions: ['storage:buckets:read'],
      approval: 'off',
      owner: { member_id: owner.id, name: 'Ada' },
      notes: 'For the build',
      version: 1,
    });
    expect(warnings).toEqual([]);
    expect(daysLeft(key.expires_at)).toBe(90);
    expect(readPublicId(secret)).toBe(key.public_id);
    const stored = await portal.db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', key.id)
      .executeTakeFirstOrThrow();
    expect(matchesDigest(secret, toDigest(stored.hash))).toBe(true);
    const everything = JSON.stringify([stored, await portal.audit(account.id), key]);
    expect(everything).not.toContain(secret);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'createApiKey',
      resource: { type: 'api_key', id: key.id, name: 'ci' },
    });
  });

  it('is refused with all faults at once', async () => {
    const { account } = await portal.newAccount();
    const bad = {
      name: 'x'.repeat(65),
      expires_in: '2d',
      permissions: ['storage:bukets:read', 'storage:*', 'storage:buckets:read'],
      approval: 'maybe',
      notes: 'n'.repeat(256),
      owner_id: 'mem_none',
    } as never;
    expect(fieldsOf(await refusalOf(make(account.id, bad)))).toEqual([
      '/approval invalid_format',
      '/expires_in invalid_format',
      '/name too_long',
      '/notes too_long',
      '/owner_id unknown_reference',
      '/permissions/0 unknown_reference',
      '/permissions/1 invalid_format',
    ]);
    const without = createKey(portal.db, staff, { account_id: account.id, name: 'ci' }, rules);
    expect(fieldsOf(await refusalOf(without))).toEqual(['/permissions required']);
    const both = make(account.id, { permissions: ['storage:*:*'], preset: 'full-access' });
    expect(fieldsOf(await refusalOf(both))).toEqual(['/permissions mutually_exclusive']);
    expect(fieldsOf(await refusalOf(make(account.id, { permissions: [] })))).toEqual([
      '/permissions too_few',
    ]);
    const many = Array.from({ length: 101 }, () => 'storage:buckets:read');
    expect(fieldsOf(await refusalOf(make(account.id, { permissions: many })))).toEqual([
      '/permissions too_many',
    ]);
    expect((await refusalOf(make('acc_none'))).code).toBe('not_found');
    expect(await listKeys(portal.db, account.id)).toEqual([]);
  });

  it('is refused with an unknown permission, and the nearest is suggested', async () => {
    const { account } = await portal.newAccount();
    const real = { ...rules, vocabulary: contractPermissions(buildRegistry(families)) };
    const input = { account_id: account.id, name: 'ci', permissions: ['flexible-vps:vmz:read'] };
    const { errors } = await refusalOf(createKey(portal.db, staff, input, real));
    expect(errors).toMatchObject([
      {
        pointer: '/permissions/0',
        code: 'unknown_reference',
        detail: expect.stringContaining('Did you mean flexible-vps:vms:read?'),
      },
    ]);
  });

  it('warns about wildcards, sensitive permissions and unused permissions', async () => {
    const { account } = await portal.newAccount();
    const { warnings } = await make(account.id, {
      permissions: ['storage:*:*', 'flexible-vps:backups:read'],
    });
    expect(warnings.map(({ code }) => code)).toEqual([
      'unused_permission',
      'wildcard_permission',
      'sensitive_permission',
    ]);
  });

  it('cannot have more permissions than the role of its owner', async () => {
    const { account } = await portal.newAccount();
    const viewer = await portal.newMember(account.id, 'viewer');
    const wide = { permissions: ['storage:buckets:read', 'storage:buckets:write'] };
    const byStaff = await refusalOf(make(account.id, { ...wide, owner_id: viewer.id }));
    expect(fieldsOf(byStaff)).toEqual(['/permissions/1 out_of_range']);
    const byMember = await refusalOf(make(account.id, wide, actorOf(viewer)));
    expect(fieldsOf(byMember)).toEqual(['/permissions/1 out_of_range']);
    const preset = await refusalOf(make(account.id, { preset: 'full-access' }, actorOf(viewer)));
    expect(fieldsOf(preset)).toEqual(['/preset out_of_range']);
    const { key } = await make(account.id, {}, actorOf(viewer));
    expect(key.owner.member_id).toBe(viewer.id);
  });

  it('belongs to its creator, and to nobody who may not own keys', async () => {
    const { account, owner } = await portal.newAccount();
    const billing = await portal.newMember(account.id, 'billing');
    const developer = await portal.newMember(account.id, 'developer');
    const refusals = await refusalsOf([
      make(account.id, {}, actorOf(billing)),
      make(account.id, { owner_id: billing.id }),
      make(account.id, { owner_id: owner.id }, actorOf(developer)),
    ]);
    for (const refusal of refusals) expect(fieldsOf(refusal)).toContain('/owner_id incompatible');
    const { owner: stranger } = await portal.newAccount();
    expect((await refusalOf(make(account.id, {}, actorOf(stranger)))).code).toBe('permission_denied');
  });

  it('cannot be created in a closed account', async () => {
    const { account } = await portal.newAccount();
    for (const status of ['closing', 'closed'] as const) {
      await setAccountStatus(portal.db, staff, { account_id: account.id, status });
    }
    expect((await refusalOf(make(account.id))).code).toBe('invalid_state');
  });
});

describe('the lifetime of a key', () => {
  it('is limited unless the account allows keys without expiry', async () => {
    const { account } = await portal.newAccount();
    const endless = { expires_in: 'never' } as const;
    expect(fieldsOf(await refusalOf(make(account.id, endless)))).toEqual(['/expires_in out_of_range']);
    await setKeyPolicy(portal.db, staff, { account_id: account.id, non_expiring_allowed: true });
    expect((await make(account.id, endless)).key).toMatchObject({ expires_in: 'never', expires_at: null });
  });

  it('is at most what the account allows, also by default', async () => {
    const { account } = await portal.newAccount();
    await setKeyPolicy(portal.db, staff, { account_id: account.id, max_lifetime_days: 45 });
    const long = { expires_in: '90d' } as const;
    expect(fieldsOf(await refusalOf(make(account.id, long)))).toEqual(['/expires_in out_of_range']);
    expect((await make(account.id)).key).toMatchObject({ expires_in: '30d' });
  });

  it('and the approval rule come from the preset or the account if they are left out', async () => {
    const { account } = await portal.newAccount();
    await setKeyPolicy(portal.db, staff, { account_id: account.id, default_approval: 'writes' });
    expect((await make(account.id)).key).toMatchObject({ approval: 'writes', expires_in: '90d' });
    const agent = await make(account.id, { name: 'agent', preset: 'ai-agent' });
    expect(agent.key).toMatchObject({
      approval: 'destructive',
      expires_in: '7d',
      preset: 'ai-agent',
      permissions: [
        'account:api-keys:read',
        'account:profile:read',
        'storage:buckets:read',
        'storage:buckets:write',
      ],
    });
  });
});

describe('presets', () => {
  it('are all accepted for an owner when every family is built', async () => {
    const { account } = await portal.newAccount();
    const everywhere = { ...rules, vocabulary: contractPermissions(buildRegistry(families)) };
    for (const preset of presetNames) {
      const { key } = await createKey(
        portal.db,
        staff,
        { account_id: account.id, name: preset, preset },
        everywhere,
      );
      expect(key.permissions.length, preset).toBeGreaterThan(0);
    }
  });

  it('are expanded when the key is created: reading only, and nothing sensitive', async () => {
    const { account } = await portal.newAccount();
    const { key } = await make(account.id, { preset: 'read-only' });
    expect(key.permissions).toEqual([
      'account:api-keys:read',
      'account:profile:read',
      'storage:buckets:read',
    ]);
  });
});

describe('names and numbers of keys', () => {
  it('are unique while the key exists', async () => {
    const { account } = await portal.newAccount();
    const { key } = await make(account.id);
    const taken = await refusalOf(make(account.id));
    expect(taken.code).toBe('name_taken');
    expect(taken.extra).toEqual({ existing_id: key.id });
    await suspendKey(portal.db, staff, { account_id: account.id, key_id: key.id });
    expect((await refusalOf(make(account.id))).code).toBe('name_taken');
    await portal.db
      .updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', key.id)
      .execute();
    expect((await make(account.id)).key.name).toBe('ci');
    const { account: other } = await portal.newAccount();
    expect((await make(other.id)).key.name).toBe('ci');
  });

  it('create one key if ten calls use the same name at the same time', async () => {
    const { account } = await portal.newAccount();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => make(account.id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listKeys(portal.db, account.id)).toHaveLength(1);
    expect(await findBreak(portal.db, account.id)).toBeNull();
  });

  it('are limited per account and per member, also for concurrent calls', async () => {
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const developer = await portal.newMember(account_id, 'developer');
    const cap = (limit_id: string, value: number) =>
      setLimit(portal.db, staff, { account_id, limit_id, value }, catalogue);
    await cap('account.api-keys-per-member', 3);
    const makeFive = (owner_id?: string) =>
      Promise.allSettled(
        Array.from({ length: 5 }, (_, i) =>
          make(account_id, { name: `${owner_id ?? 'owner'} ${i}`, ...(owner_id ? { owner_id } : {}) }),
        ),
      );
    await makeFive(developer.id);
    expect(await listKeys(portal.db, account_id)).toHaveLength(3);
    await cap('account.api-keys', 4);
    await makeFive();
    expect(await listKeys(portal.db, account_id)).toHaveLength(4);
    const refusal = await refusalOf(make(account_id));
    expect(refusal.code).toBe('quota_exceeded');
    expect(refusal.extra).toEqual({ limit_id: 'account.api-keys', limit: 4, used: 4, requested: 1 });
  });
});
