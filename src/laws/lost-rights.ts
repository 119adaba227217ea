/** Every way in which an API key can lose the right to make a call. */
import { sql } from 'kysely';
import { newId } from '../kernel/ids.ts';
import { rollKey } from '../portal-api/keys/roll.ts';
import type { Db } from '../store/database.ts';
import {
  createAccount,
  createKey,
  createMember,
  type TestAccount,
  type TestKey,
} from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { rules } from '../testing/portal.ts';

/** A key of its own member, so that a change of the member takes the right from no other key. */
export interface Holder {
  readonly app: TestApp;
  readonly db: Db;
  readonly account: TestAccount;
  readonly memberId: string;
  readonly key: TestKey;
}

export interface Loss {
  readonly title: string;
  take(holder: Holder): Promise<unknown>;
  /** What a call that changes something answers afterwards. */
  readonly answer: string;
  /** Reverts the loss; undefined if it is final. */
  readonly giveBack?: (holder: Holder) => Promise<unknown>;
}

export async function prepareHolder(app: TestApp, known?: TestAccount): Promise<Holder> {
  const { db } = app.services;
  const account = known ?? (await createAccount(db));
  const memberId = await createMember(db, account.id, 'admin');
  return { app, db, account, memberId, key: await createKey(db, account, { owner_id: memberId }) };
}

const setKey = (set: { status?: 'active' | 'suspended'; permissions?: string[] }) => (holder: Holder) =>
  holder.db.updateTable('api_keys').set(set).where('id', '=', holder.key.id).execute();
const expireKey = (inSeconds: number) => (holder: Holder) =>
  sql`update api_keys set expires_at = now() + ${inSeconds} * interval '1 second'
      where id = ${holder.key.id}`.execute(holder.db);
const setMember =
  (set: { role?: 'admin' | 'viewer'; status?: 'active' | 'suspended' }) =>
  ({ db, memberId }: Holder) =>
    db.updateTable('members').set(set).where('id', '=', memberId).execute();
const setAccount =
  (set: { status?: 'active' | 'suspended' | 'closed'; keys_suspended?: boolean }) =>
  ({ db, account }: Holder) =>
    db.updateTable('accounts').set(set).where('id', '=', account.id).execute();
const setProducts =
  (enabled: boolean) =>
  ({ db, account }: Holder) =>
    db.updateTable('account_products').set({ enabled }).where('account_id', '=', account.id).execute();
export const setMode =
  (mode: 'off' | 'enforce') =>
  ({ db, account }: Pick<Holder, 'db' | 'account'>) =>
    db
      .insertInto('ip_allowlists')
      .values({ account_id: account.id, mode })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ mode }))
      .execute();

/** Enforces an allowlist that contains only the loopback addresses, and those only for a second. */
const enforceForASecond = ({ db, account }: Holder) =>
  db.transaction().execute(async (tx) => {
    await sql`insert into ip_allowlist_entries (id, account_id, cidr, created_by, expires_at)
      values (${newId('allowlist_entry')}, ${account.id}, '127.0.0.0/8', 'a test', now() + interval '1 second')`.execute(
      tx,
    );
    await setMode('enforce')({ db: tx, account });
  });

/** Enforces an allowlist on which all test clients are, and then removes its entries. */
async function emptyAllowlist({ db, account }: Holder): Promise<void> {
  await db
    .insertInto('ip_allowlist_entries')
    .values(
      ['10.0.0.0/8', '127.0.0.0/8'].map((cidr) => ({
        id: newId('allowlist_entry'),
        account_id: account.id,
        cidr,
        created_by: 'a test',
      })),
    )
    .execute();
  await setMode('enforce')({ db, account });
  await db.deleteFrom('ip_allowlist_entries').where('account_id', '=', account.id).execute();
}

/** Rolls the key as its owner. */
const roll = (overlap: '0' | '1h') => (holder: Holder) =>
  rollKey(
    holder.db,
    {
      kind: 'member',
      memberId: holder.memberId,
      name: 'the owner',
      clientIp: '203.0.113.7',
      userAgent: 'browser',
      requestId: null,
    },
    { account_id: holder.account.id, key_id: holder.key.id, overlap },
    rules,
  );

export const losses: readonly Loss[] = [
  {
    title: 'revocation through the API',
    take: ({ app, key }) =>
      app.call({
        method: 'DELETE',
        url: `/account/v1/api-keys/${key.id}?confirm=${encodeURIComponent(key.name)}`,
        key: key.key,
      }),
    answer: '401 api_key_revoked',
  },
  {
    title: 'suspension of the key',
    take: setKey({ status: 'suspended' }),
    answer: '401 api_key_suspended',
    giveBack: setKey({ status: 'active' }),
  },
  { title: 'expiry set to now', take: expireKey(-1), answer: '401 api_key_expired' },
  { title: 'expiry in a second', take: expireKey(1), answer: '401 api_key_expired' },
  { title: 'roll of the key without an overlap', take: roll('0'), answer: '401 api_key_expired' },
  {
    title: 'the end of the overlap of a rolled key',
    async take(holder) {
      await roll('1h')(holder);
      // An hour later.
      await expireKey(1)(holder);
    },
    answer: '401 api_key_expired',
  },
  {
    title: 'fewer permissions',
    take: setKey({ permissions: ['workshop:widgets:read'] }),
    answer: '403 permission_denied',
    giveBack: setKey({ permissions: ['*:*:*'] }),
  },
  {
    title: 'demotion of the owner',
    take: setMember({ role: 'viewer' }),
    answer: '403 permission_denied',
    giveBack: setMember({ role: 'admin' }),
  },
  {
    title: 'suspension of the owner',
    take: setMember({ status: 'suspended' }),
    answer: '401 api_key_suspended',
    giveBack: setMember({ status: 'active' }),
  },
  {
    title: 'removal of the owner',
    take: ({ db, memberId }) => db.deleteFrom('members').where('id', '=', memberId).execute(),
    answer: '401 api_key_revoked',
  },
  {
    title: 'suspension of all keys',
    take: setAccount({ keys_suspended: true }),
    answer: '401 api_key_suspended',
    giveBack: setAccount({ keys_suspended: false }),
  },
  {
    title: 'suspension of the account',
    take: setAccount({ status: 'suspended' }),
    answer: '403 account_suspended',
    giveBack: setAccount({ status: 'active' }),
  },
  { title: 'the end of the account', take: setAccount({ status: 'closed' }), answer: '401 api_key_invalid' },
  {
    title: 'all products switched off',
    take: setProducts(false),
    answer: '403 product_not_enabled',
    giveBack: setProducts(true),
  },
  {
    title: 'the allowlist enforced',
    take: setMode('enforce'),
    answer: '403 ip_not_allowed',
    giveBack: setMode('off'),
  },
  { title: 'an allowlist entry removed', take: emptyAllowlist, answer: '403 ip_not_allowed' },
  { title: 'expiry of the allowlist entry', take: enforceForASecond, answer: '403 ip_not_allowed' },
];
