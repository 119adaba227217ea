import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, createKey, createMember, type TestAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';

let t: TestApp;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  t = await createTestApp();
  account = await createAccount(t.services.db);
  key = (await createKey(t.services.db, account, { name: 'caller' })).key;
});
afterAll(() => t.close());

const past = new Date(Date.now() - 1000);
const get = (path: string, headers = {}) => t.call({ url: `/account/v1/api-keys${path}`, key, headers });
const revoke = (id: string, query = '', by = key) =>
  t.call({ method: 'DELETE', url: `/account/v1/api-keys/${id}${query}`, key: by });

describe('getApiKey', () => {
  it('200: shows the status that decides about calls with the key', async () => {
    const { db } = t.services;
    const suspendedOwner = await createMember(db, account.id, 'admin', 'suspended');
    const cases = [
      ['active', {}],
      ['suspended', { status: 'suspended' as const }],
      ['expired', { expires_at: past }],
      ['expired', { expires_at: past, status: 'suspended' as const }],
      ['revoked', { expires_at: past, status: 'revoked' as const }],
      ['suspended', { owner_id: suspendedOwner }],
    ] as const;
    for (const [state, columns] of cases) {
      const { id } = await createKey(db, account, columns);
      expect((await get(`/${id}`)).json().status).toBe(state);
    }
  });

  it("200: shows the same expiry as whoami, even if the server's clock differs from the database", async () => {
    const expires_at = new Date(Date.now() + 60_000);
    const own = (await createKey(t.services.db, account, { expires_at })).key;
    const now = Date.now();
    const behind = vi.spyOn(Date, 'now').mockImplementation(() => now - 300_000);
    const whoami = await t.call({ url: '/account/v1/whoami', key: own });
    const self = await t.call({ url: '/account/v1/api-keys/self', key: own });
    behind.mockRestore();
    expect([whoami.json().key.expires_at, self.json().expires_at]).toEqual([
      expires_at.toISOString(),
      expires_at.toISOString(),
    ]);
  });

  it('200 for self, 304 while the ETag matches, and using the key does not change the ETag', async () => {
    const first = await get('/self');
    expect(first.json().name).toBe('caller');
    await t.services.activity.flush();
    const again = await get('/self', { 'if-none-match': first.headers.etag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    const used = await get('/self');
    expect(used.json().last_used).toMatchObject({ operation_id: 'getApiKey' });
  });
});

describe('revokeApiKey', () => {
  it('200: revokes an expired key, and revoking a key twice changes nothing', async () => {
    const { id } = await createKey(t.services.db, account, { expires_at: past });
    const first = await revoke(id, '?reason=leaked&comment=found%20in%20a%20log');
    expect(first.json()).toMatchObject({ status: 'revoked', revoked: { by: 'caller', reason: 'leaked' } });
    const second = await revoke(id, '?reason=other');
    expect([second.statusCode, second.json()]).toEqual([200, first.json()]);
  });

  it('200 for self: later calls with the key are refused', async () => {
    const own = (await createKey(t.services.db, account)).key;
    expect((await revoke('self', '', own)).statusCode).toBe(200);
    await expect
      .poll(async () => (await t.call({ url: '/account/v1/whoami', key: own })).json().code)
      .toBe('api_key_revoked');
  });

  it('422: the last key of the account needs its name in confirm, and a dry run and the answer warn about it', async () => {
    const mine = await createAccount(t.services.db);
    const only = await createKey(t.services.db, mine, { name: 'only one' });
    for (const [query, code] of [
      ['', 'confirmation_missing'],
      ['?dry_run=true', 'confirmation_missing'],
      ['?confirm=other', 'confirmation_mismatch'],
    ] as const)
      expect((await revoke('self', query, only.key)).json().errors).toMatchObject([
        { pointer: 'query/confirm', code },
      ]);
    const { warnings } = (await revoke('self', '?confirm=only%20one&dry_run=true', only.key)).json();
    expect(warnings).toMatchObject([{ code: 'last_api_key' }]);
    const done = await revoke('self', '?confirm=only%20one', only.key);
    expect([done.statusCode, done.json().status]).toEqual([200, 'revoked']);
    expect(JSON.parse(String(done.headers['hostplane-warnings']))).toEqual(warnings);
  });

  it("422: the last key of the account's owner needs its name in confirm, even if other members have keys", async () => {
    const mine = await createAccount(t.services.db);
    const own = await createKey(t.services.db, mine);
    const helper = await createMember(t.services.db, mine.id, 'developer');
    const other = await createKey(t.services.db, mine, { owner_id: helper });
    await createKey(t.services.db, mine, { expires_at: past });
    expect((await revoke(own.id, '', own.key)).json().errors).toMatchObject([
      { code: 'confirmation_missing' },
    ]);
    expect((await revoke(other.id, '', own.key)).statusCode).toBe(200);
  });

  it('412: If-Match with an old version changes nothing', async () => {
    const { id } = await createKey(t.services.db, account);
    const refused = await t.call({
      method: 'DELETE',
      url: `/account/v1/api-keys/${id}`,
      key,
      headers: { 'if-match': '"another"' },
    });
    expect(refused.json()).toMatchObject({ code: 'etag_mismatch', current_etag: expect.any(String) });
    expect((await get(`/${id}`)).json().status).toBe('active');
  });
});

describe('listApiKeys', () => {
  it('200: filters by status, owner, expiry, last use and permission', async () => {
    const { db } = t.services;
    const other = await createAccount(db);
    const mine = (await createKey(db, other, { permissions: ['*:*:*'], name: 'a' })).key;
    const member = await createMember(db, other.id, 'admin');
    const soon = new Date(Date.now() + 60_000);
    await createKey(db, other, { name: 'b', permissions: ['storage:*:read'], owner_id: member });
    await createKey(db, other, { name: 'c', permissions: ['account:usage:read'], expires_at: soon });
    await createKey(db, other, { name: 'd', permissions: ['storage:buckets:write'], status: 'revoked' });
    const names = async (query: string) => {
      const response = await t.call({ url: `/account/v1/api-keys?sort=name&${query}`, key: mine });
      return response.json().data.map((row: { name: string }) => row.name);
    };
    expect(await names('')).toEqual(['a', 'b', 'c', 'd']);
    expect(await names('status=revoked')).toEqual(['d']);
    expect(await names(`owner=${member}`)).toEqual(['b']);
    expect(await names(`expires_before=${new Date(Date.now() + 120_000).toISOString()}`)).toEqual(['c']);
    expect(await names('permission=storage:buckets:read')).toEqual(['a', 'b']);
    expect(await names('permission=account:usage:read')).toEqual(['a', 'c']);
    expect(await names(`unused_since=${past.toISOString()}`)).toEqual([]);
    expect(await names(`unused_since=${soon.toISOString()}`)).toEqual(['a', 'b', 'c', 'd']);
  });
});
