/** An account with everything that the pages of the portal show. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../kernel/ids.ts';
import { lockBudget, setBudget } from '../../portal-api/budgets/budgets.ts';
import type { Db } from '../../store/database.ts';
import { createAccount, createKey, createMember, type TestAccount, type TestKey } from '../accounts.ts';
import type { TestApp } from '../app.ts';
import { createPerson, createSession, joinAccount } from '../people.ts';
import { spend } from '../spent-money.ts';
import { insertDelivery, insertWebhook } from '../webhooks.ts';

const DAY = 86_400_000;
const from = (days: number): Date => new Date(Date.now() + days * DAY);

export interface Seeded {
  readonly account: TestAccount;
  readonly keys: Readonly<Record<string, TestKey>>;
  readonly email: string;
  readonly personId: string;
  /** The value of the cookie of the owner's session. */
  readonly token: string;
}

const used = (minutes: number, operation: string, ip: string) => ({
  last_used_at: new Date(Date.now() - minutes * 60_000),
  last_used_ip: ip,
  last_used_operation: operation,
  last_used_user_agent: 'curl/8.5.0',
});

export async function seedAccount({ services: { db } }: TestApp, name = 'Acme GmbH'): Promise<Seeded> {
  const account = await createAccount(db, { name });
  const email = `${newId('person')}@example.com`;
  const person = await createPerson(db, { name: 'Ada Lovelace', email });
  await db
    .updateTable('members')
    .set({ person_id: person.id, name: 'Ada Lovelace', email })
    .where('id', '=', account.ownerId)
    .execute();
  const grace = await createPerson(db, { name: 'Grace Hopper' });
  const member = await joinAccount(db, grace, account.id, 'developer');
  await db.updateTable('members').set({ name: 'Grace Hopper' }).where('id', '=', member).execute();
  const keys: Record<string, TestKey> = {};
  const wanted = {
    'ci-production': {
      preset: 'ci-deploy',
      permissions: ['flexible-vps:vms:read', 'flexible-vps:vms:write', 'account:pricing:read'],
      expires_at: from(61),
      ...used(2, 'createVm', '203.0.113.7'),
    },
    'terraform-staging': {
      permissions: ['flexible-vps:*:read', 'flexible-vps:*:write'],
      expires_at: from(5),
      created_at: from(-85),
      ...used(190, 'listVms', '198.51.100.24'),
    },
    assistant: {
      preset: 'ai-agent',
      permissions: ['flexible-vps:*:*', 'account:*:read'],
      approval: 'destructive' as const,
      expires_in: '7d' as const,
      expires_at: from(6),
      ...used(1500, 'deleteVmSnapshot', '2001:db8::7'),
    },
    grafana: {
      preset: 'monitoring',
      permissions: ['*:*:read'],
      expires_at: from(300),
      ...used(0.2, 'getVmMetrics', '203.0.113.9'),
    },
    'old-backup': {
      preset: 'backup-job',
      permissions: ['flexible-vps:vms:read'],
      status: 'suspended' as const,
      expires_at: from(12),
      created_at: from(-10),
    },
  };
  for (const [key, values] of Object.entries(wanted))
    keys[key] = await createKey(db, account, { name: key, owner_name: 'Ada Lovelace', ...values });
  return { account, keys, email, personId: person.id, token: await createSession(db, person) };
}

/**
 * What people have to look at: refused calls, addresses, invitations (one of them old), a call that waits, costs, budgets,
 * a webhook whose message failed, and an operation that has not begun.
 */
export async function seedTopics({ call, services }: TestApp, seeded: Seeded) {
  const { db } = services;
  const { account, keys } = seeded;
  for (const cause of ['permission', 'ip_restriction'] as const) await insertDenial(db, seeded, { cause });
  await db
    .insertInto('ip_allowlist_entries')
    .values(
      [
        { cidr: '203.0.113.0/24', note: 'Office, behind the firewall' },
        { cidr: '2001:db8:7::/48', note: '', expires_at: from(3) },
      ].map((entry) => ({
        id: newId('allowlist_entry'),
        account_id: account.id,
        created_by: 'test',
        ...entry,
      })),
    )
    .execute();
  for (const [email, days] of [
    ['alan@example.com', 6],
    ['joan@example.com', -2],
  ] as const) {
    const member_id = await createMember(db, account.id, 'viewer');
    await db.updateTable('members').set({ email, status: 'invited' }).where('id', '=', member_id).execute();
    const row = { account_id: account.id, member_id, token_hash: randomBytes(32), expires_at: from(days) };
    await db
      .insertInto('invitations')
      .values({ id: newId('invitation'), invited_by: 'test', inviter_name: 'Ada Lovelace', ...row })
      .execute();
  }
  await createKey(db, account, { name: 'retired', owner_name: 'Ada Lovelace', status: 'revoked' });
  const group = { name: `asked-about-${++serial}`, policy: 'spread', location: 'fra1' };
  const url = '/flexible-vps/v1/placement-groups';
  const made = await call({ method: 'POST', url, key: keys['assistant']!.key, payload: group });
  const asked = await call({
    method: 'DELETE',
    url: `${url}/${made.json<{ id: string }>().id}`,
    key: keys['assistant']!.key,
  });
  const { id: webhookId } = await insertWebhook(services, account, { status: 'failing' });
  for (const status of ['failed', 'succeeded'] as const)
    await insertDelivery(services, account, webhookId, {
      status,
      http_status: status === 'failed' ? 503 : 204,
      response_excerpt: 'W'.repeat(200),
    });
  for (const amount of ['12.50', '7.31']) await spend(db, account.id, amount, { labels: { env: 'prod' } });
  const actor = { kind: 'provider_staff', name: 'test' } as const;
  const budgets = [
    { budget: `everything-${++serial}`, amount: '20', thresholds: [{ percent: 80 }, { percent: 100 }] },
    { budget: `agents-${serial}`, amount: '500', thresholds: [{ percent: 90 }], action: 'block_new_cost' },
  ] as const;
  for (const { thresholds, ...budget } of budgets)
    await setBudget(
      db,
      actor,
      { account_id: account.id, ...budget, thresholds: [...thresholds] },
      services.provider.catalogue,
    );
  await lockBudget(db, actor, { account_id: account.id, budget: `agents-${serial}` });
  const machine = {
    name: `begins-${serial}`,
    location: 'fra1',
    plan: 'flex-1-2',
    source: { type: 'image', image_id: 'debian-12' },
  };
  const builder = await createKey(db, account, { name: 'builder', owner_name: 'Ada Lovelace' });
  const begun = await call({
    method: 'POST',
    url: '/flexible-vps/v1/vms',
    key: builder.key,
    payload: machine,
  });
  const operationId = begun.json<{ operation: { id: string } }>().operation.id;
  return { approvalId: asked.json<{ operation_id: string }>().operation_id, webhookId, operationId };
}

let serial = 0;

export async function insertDenial(
  db: Db,
  { account, keys }: Seeded,
  values: { cause: 'permission' | 'ip_restriction'; client_ip?: string; user_agent?: string },
): Promise<void> {
  const key = keys['ci-production']!;
  const isAddress = values.cause === 'ip_restriction';
  await db
    .insertInto('key_denials')
    .values({
      id: newId('key_denial'),
      account_id: account.id,
      code: isAddress ? 'ip_not_allowed' : 'permission_denied',
      enforced: !isAddress,
      allowlist_mode: isAddress ? 'report_only' : 'off',
      key_id: key.id,
      key_public_id: key.publicId,
      key_name: key.name,
      client_ip: '203.0.113.7',
      method: 'DELETE',
      path_template: '/flexible-vps/v1/vms/{id}',
      operation_id: 'deleteVm',
      required_permission: isAddress ? null : 'flexible-vps:vms:delete',
      denied_by: isAddress ? null : ['key'],
      user_agent: 'curl/8.5.0',
      count: 3,
      first_at: new Date(),
      last_at: new Date(),
      last_request_id: newId('request'),
      ...values,
    })
    .execute();
}
