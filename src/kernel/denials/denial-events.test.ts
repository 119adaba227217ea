import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

it('a call refused because of its address writes one event per hour, key and address', async () => {
  const { db, denials } = t.services;
  const account = await createAccount(db);
  const [one, two] = [await createKey(db, account), await createKey(db, account)];
  const setMode = async (mode: 'enforce' | 'report_only') => {
    await db
      .insertInto('ip_allowlists')
      .values({ account_id: account.id, mode })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ mode }))
      .execute();
    const expected = mode === 'enforce' ? 403 : 200;
    await vi.waitFor(async () => expect(await call(one.key, '192.0.2.1')).toBe(expected));
  };
  const call = async (key: string, remoteAddress: string) =>
    (await t.call({ url: '/account/v1/whoami', key, remoteAddress })).statusCode;
  const told = async () => {
    await denials.flush();
    const rows = await db
      .selectFrom('events')
      .select(['type', 'data'])
      .where('account_id', '=', account.id)
      .execute();
    return rows.map(({ type, data }) => `${type} ${data['client_ip']} ${data['public_id']}`).sort();
  };
  await setMode('enforce');
  await call(one.key, '192.0.2.1');
  await denials.flush();
  await call(one.key, '192.0.2.1');
  await call(one.key, '192.0.2.2');
  await call(two.key, '192.0.2.1');
  const denied = [
    `ip_allowlist.denied 192.0.2.1 ${one.publicId}`,
    `ip_allowlist.denied 192.0.2.1 ${two.publicId}`,
    `ip_allowlist.denied 192.0.2.2 ${one.publicId}`,
  ].sort();
  expect(await told()).toEqual(denied);
  await setMode('report_only');
  expect(await told()).toEqual([...denied, `ip_allowlist.would_deny 192.0.2.1 ${one.publicId}`].sort());
  await sql`update events set occurred_at = occurred_at - interval '61 minutes'`.execute(db);
  await call(one.key, '192.0.2.1');
  expect((await told()).filter((line) => line.startsWith('ip_allowlist.would_deny'))).toHaveLength(2);
});
