/** An account with everything that the pages of the portal show. */
import { newId } from '../../kernel/ids.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../accounts.ts';
import type { TestApp } from '../app.ts';
import { createPerson, createSession, joinAccount } from '../people.ts';

const DAY = 86_400_000;
const from = (days: number): Date => new Date(Date.now() + days * DAY);

export interface Seeded {
  readonly account: TestAccount;
  readonly keys: Readonly<Record<string, TestKey>>;
  readonly email: string;
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
      expires_in: '7d',
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
  return { account, keys, email, token: await createSession(db, person) };
}
