/** Creates accounts with owners and members on a new database, for tests of the portal API. */
import { sql } from 'kysely';
import type { RoleName } from '../kernel/access/roles.ts';
import type { Vocabulary } from '../kernel/access/vocabulary.ts';
import type { AuditEntry } from '../kernel/audit/entry.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { type CreateAccount, createAccount } from '../portal-api/accounts/creation.ts';
import type { AccountRow } from '../portal-api/accounts/store.ts';
import type { Actor } from '../portal-api/actor.ts';
import { addMember } from '../portal-api/members/members.ts';
import type { MemberRow } from '../portal-api/members/store.ts';
import type { LimitEntry } from '../provider/catalogue.ts';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

const limit = (id: string, value: number): LimitEntry => ({
  id,
  name: id,
  unit: 'pieces',
  limit: value,
  scope: 'account',
  raisable: true,
  maximum_on_request: value * 2,
});

export const catalogue = {
  products: [
    { family: 'account', name: 'Account', enabled: true },
    { family: 'storage', name: 'Storage', enabled: true },
    { family: 'datacenter', name: 'Datacenter', enabled: false },
  ] as const,
  limits: [limit('account.api-keys', 100), limit('account.api-keys-per-member', 25)],
};

const vocabulary: Vocabulary = {
  permissions: [
    'account:api-keys:delete',
    'account:api-keys:read',
    'account:profile:read',
    'storage:access-keys:write',
    'storage:buckets:delete',
    'storage:buckets:read',
    'storage:buckets:write',
  ],
  sensitive: new Set(['account:api-keys:delete', 'storage:access-keys:write'] as const),
  planned: ['flexible-vps:backups:read'],
};

export const rules = { vocabulary, catalogue };
export const staff: Actor = { kind: 'provider_staff', name: 'operator' };

export const actorOf = (member: MemberRow): Actor => ({
  kind: 'member',
  memberId: member.id,
  name: member.name,
  clientIp: '203.0.113.7',
  userAgent: 'browser',
  requestId: null,
});

export interface TestPortal {
  readonly db: Db;
  readonly connection: TestDatabase['connection'];
  newAccount(input?: Partial<CreateAccount>): Promise<{ account: AccountRow; owner: MemberRow }>;
  newMember(accountId: string, role: RoleName): Promise<MemberRow>;
  /** Oldest first. */
  audit(accountId: string): Promise<AuditEntry[]>;
  close(): Promise<void>;
}

export async function openPortal(): Promise<TestPortal> {
  const database = await createTestDatabase();
  const db = openDatabase(openPool(database.connection));
  const defaults = {
    provider: { currency: 'EUR', country: 'DE', timezone: 'Europe/Berlin' },
    catalogue: { products: [...catalogue.products] },
  };
  let made = 0;
  return {
    db,
    connection: database.connection,
    newAccount: (input = {}) =>
      createAccount(
        db,
        staff,
        { name: `Account ${++made}`, owner_name: 'Ada', owner_email: 'ada@example.com', ...input },
        defaults,
      ),
    newMember: (account_id, role) => {
      const name = `${role} ${++made}`;
      return addMember(db, staff, { account_id, name, email: `${role}${made}@example.com`, role });
    },
    async audit(accountId) {
      const rows = await db
        .selectFrom('audit_entries')
        .select('entry')
        .where('account_id', '=', accountId)
        .orderBy('sequence')
        .execute();
      return rows.map(({ entry }) => entry);
    },
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

/** Returns the Problem that the action throws. Fails the test if the action succeeds. */
export async function refusalOf(action: Promise<unknown>): Promise<Problem> {
  const outcome = await action.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Problem) return outcome;
  throw outcome ?? new Error('This was expected to be refused, and was done.');
}

/** The Problems of several parallel actions, in the order of the actions. */
export const refusalsOf = (actions: readonly Promise<unknown>[]): Promise<Problem[]> =>
  Promise.all(actions.map(refusalOf));

/** All field errors in a short form such as `/name required`, so that a test compares them at once. */
export const fieldsOf = (problem: Problem): string[] =>
  problem.errors.map(({ pointer, code }) => `${pointer} ${code}`).sort();

/** Waits until at least this many transactions of the database wait for a lock. */
export async function untilWaiting(db: Db, count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length >= count) return;
  }
}
