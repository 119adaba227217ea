/** Inserts accounts, members and API keys for tests directly into the tables. */
import type { Insertable } from 'kysely';
import { issueKey } from '../kernel/access/key-format.ts';
import type { RoleName } from '../kernel/access/roles.ts';
import { openChain } from '../kernel/audit/store.ts';
import { familyNames } from '../kernel/families.ts';
import { newId } from '../kernel/ids.ts';
import type { Db, Tables } from '../store/database.ts';

export interface TestAccount {
  readonly id: string;
  readonly ownerId: string;
}

export interface TestKey {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  /** The value of the X-API-Key header. */
  readonly key: string;
}

let serial = 0;

export async function createAccount(
  db: Db,
  overrides: Partial<Insertable<Tables['accounts']>> = {},
): Promise<TestAccount> {
  const id = newId('account');
  serial++;
  await db
    .insertInto('accounts')
    .values({
      id,
      name: `Account ${serial}`,
      currency: 'EUR',
      country: 'DE',
      timezone: 'Europe/Berlin',
      ...overrides,
    })
    .execute();
  await db
    .insertInto('account_products')
    .values([...familyNames, 'workshop'].map((family) => ({ account_id: id, family, enabled: true })))
    .execute();
  await openChain(db, id);
  return { id, ownerId: await createMember(db, id, 'owner') };
}

export async function createMember(
  db: Db,
  accountId: string,
  role: RoleName,
  status: 'active' | 'suspended' = 'active',
): Promise<string> {
  const id = newId('member');
  await db
    .insertInto('members')
    .values({
      id,
      account_id: accountId,
      name: `Member ${id.slice(-4)}`,
      email: `${id}@example.com`,
      role,
      status,
    })
    .execute();
  return id;
}

export async function createKey(
  db: Db,
  account: TestAccount,
  overrides: Partial<Insertable<Tables['api_keys']>> = {},
): Promise<TestKey> {
  const id = newId('api_key');
  const name = overrides.name ?? `key ${id.slice(-6)}`;
  const issued = issueKey();
  await db
    .insertInto('api_keys')
    .values({
      id,
      account_id: account.id,
      public_id: issued.publicId,
      hash: issued.hash,
      permissions: ['*:*:*'],
      owner_id: account.ownerId,
      owner_name: 'Owner',
      expires_in: '90d',
      expires_at: new Date(Date.now() + 90 * 86_400_000),
      ...overrides,
      name,
    })
    .execute();
  return { id, name, publicId: issued.publicId, key: issued.key };
}
