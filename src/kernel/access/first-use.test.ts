import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { writeUses } from './store.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

async function toldOf(accountId: string) {
  return t.services.db
    .selectFrom('events')
    .select(['resource_id', 'actor', 'data'])
    .where('account_id', '=', accountId)
    .where('type', '=', 'api_key.first_used')
    .execute();
}

describe('the first use of a key', () => {
  it('is told once, with where it came from and what it asked', async () => {
    const account = await createAccount(t.services.db);
    const { id, key } = await createKey(t.services.db, account);
    for (const url of ['/account/v1/profile', '/account/v1/whoami']) {
      expect((await t.call({ url, key })).statusCode).toBe(200);
      await t.services.activity.flush();
    }
    expect(await toldOf(account.id)).toEqual([
      {
        resource_id: id,
        actor: expect.objectContaining({ kind: 'api_key', api_key_id: id }),
        data: expect.objectContaining({ client_ip: '10.0.0.1', operation_id: 'getAccountProfile' }),
      },
    ]);
  });

  it('is that of one process, where two note it at the same time', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const { id: keyId } = await createKey(db, account);
    const use = { keyId, at: new Date(), ip: '192.0.2.1', userAgent: '', operation: 'getWhoami' };
    const later = { ...use, at: new Date(Date.now() + 1000) };
    const waiting = sql<{ count: number }>`
      select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const { second, first } = await db.transaction().execute(async (tx) => {
      const first = await writeUses(tx, [use]);
      const second = writeUses(db, [later]);
      await vi.waitFor(async () => expect((await waiting.execute(db)).rows[0]?.count).toBe(1));
      return { first, second };
    });
    expect([first.length, (await second).length]).toEqual([1, 0]);
  });
});
