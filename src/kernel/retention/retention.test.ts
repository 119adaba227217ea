import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { findBreak } from '../audit/store.ts';
import { claimSubject } from '../claims/store.ts';
import { forgetWhatExpired } from './store.ts';

let t: TestApp;
let account: TestAccount;

beforeAll(async () => {
  t = await createTestApp();
  account = await createAccount(t.services.db);
});
afterAll(() => t.close());

const count = async (table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    t.services.db,
  );
  return rows[0]?.n ?? -1;
};

describe('the hourly sweep', () => {
  it('removes expired rows and nothing else', async () => {
    const { db } = t.services;
    const { key } = await createKey(db, account);
    for (const name of ['a', 'b', 'c']) {
      const headers = { 'idempotency-key': name };
      await t.call({ method: 'POST', url: '/workshop/v1/widgets', key, headers, payload: { name, size: 1 } });
    }
    await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'a'`.execute(
      db,
    );
    await sql`update audit_entries set occurred_at = now() - interval '401 days' where sequence = 1`.execute(
      db,
    );
    await createKey(db, account, { status: 'revoked', revoked_at: new Date(Date.now() - 401 * 86_400_000) });
    await createKey(db, account, { status: 'revoked', revoked_at: new Date(Date.now() - 399 * 86_400_000) });
    const narrow = await createKey(db, account, { permissions: ['account:usage:read'] });
    await t.call({ url: '/account/v1/members', key: narrow.key });
    await t.call({ url: '/account/v1/limits', key: narrow.key });
    await t.services.denials.flush();
    await sql`update key_denials set last_at = now() - interval '31 days' where operation_id = 'listLimits'`.execute(
      db,
    );
    await claimSubject(db, 'left behind', -1);
    await claimSubject(db, 'held', 60);

    await forgetWhatExpired(db);
    expect(await count('claims')).toBe(1);
    expect(await count('idempotency_keys')).toBe(2);
    expect(await count('audit_entries')).toBe(2);
    expect(await count('key_denials')).toBe(1);
    expect(await count('api_keys')).toBe(3);
    // The chain is still intact: its head stores where it now begins.
    expect(await findBreak(db, account.id)).toBeNull();
  });

  it('keeps the newest 10,000 denials of an account', async () => {
    const { db } = t.services;
    await sql`
      insert into key_denials (id, account_id, cause, code, enforced, allowlist_mode, key_id, key_public_id, key_name,
        client_ip, method, path_template, operation_id, first_at, last_at, last_request_id)
      select 'den_z' || lpad(n::text, 6, '0'), ${account.id}, 'permission', 'permission_denied', true, 'off', 'k', 'k', 'k',
        '10.0.0.1', 'GET', '/', 'x', now(), now(), 'r' from generate_series(1, 10005) n`.execute(db);
    await forgetWhatExpired(db);
    expect(await count('key_denials')).toBe(10_000);
    const { rows } = await sql<{ id: string }>`select min(id) as id from key_denials`.execute(db);
    expect(rows[0]?.id).toBe('den_z000006');
  });
});
