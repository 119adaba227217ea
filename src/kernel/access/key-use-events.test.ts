import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { forgetWhatExpired } from '../retention/store.ts';
import { noteUses } from './key-use-events.ts';
import { type KeyUse, writeUses } from './store.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

async function toldOf(accountId: string, type = 'api_key.first_used') {
  return t.services.db
    .selectFrom('events')
    .select(['resource_id', 'actor', 'data'])
    .where('account_id', '=', accountId)
    .where('type', '=', type)
    .orderBy('sequence')
    .execute();
}

/** A use of the key from each of these addresses, one millisecond apart. */
function useOf(keyId: string, laterMs: number, ...addresses: readonly string[]): KeyUse {
  const at = (i: number) => new Date(Date.now() + laterMs + i);
  return {
    keyId,
    at: at(addresses.length),
    ip: addresses.at(-1) ?? '',
    userAgent: '',
    operation: 'getWhoami',
    addresses: new Map(addresses.map((ip, i) => [ip, { at: at(i), operation: 'getWhoami' }])),
  };
}

describe('the first use of a key', () => {
  it('writes one event, with the address and the operation', async () => {
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
        data: expect.objectContaining({ client_ip: expect.any(String), operation_id: 'getAccountProfile' }),
      },
    ]);
  });

  it('writes one event if two processes record it at the same time', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const { id: keyId } = await createKey(db, account);
    const use = useOf(keyId, 0, '192.0.2.1');
    const later = useOf(keyId, 1000, '192.0.2.1');
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

describe('a call from a new address', () => {
  async function used(...addresses: readonly string[]) {
    const { services } = t;
    const account = await createAccount(services.db);
    const { id } = await createKey(services.db, account);
    const from = async (...some: readonly string[]) => {
      for (const [i, ip] of some.entries()) await noteUses(services.db, [useOf(id, i, ip)]);
    };
    await from(...addresses);
    const seen = async () =>
      (await toldOf(account.id, 'api_key.used_from_new_address')).map(
        ({ data }) => (data as { client_ip: string }).client_ip,
      );
    return { id, from, seen };
  }

  it('writes one event per address, except for the first address of the key', async () => {
    const { from, seen } = await used('192.0.2.1', '192.0.2.1');
    expect(await seen()).toEqual([]);
    await from('192.0.2.2', '192.0.2.1', '192.0.2.2', '192.0.2.3');
    expect(await seen()).toEqual(['192.0.2.2', '192.0.2.3']);
  });

  it('counts all addresses of an IPv6 /64 as one', async () => {
    const { seen } = await used('2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1');
    expect(await seen()).toEqual(['2001:db8:0:1::1']);
  });

  it('writes its event within a minute', async () => {
    const account = await createAccount(t.services.db);
    const { id, key } = await createKey(t.services.db, account);
    for (const round of [1, 2]) {
      await t.call({ url: '/account/v1/whoami', key });
      if (round === 1) await t.services.activity.flush();
    }
    await t.services.activity.flush();
    expect(await toldOf(account.id, 'api_key.used_from_new_address')).toEqual([
      {
        resource_id: id,
        actor: expect.objectContaining({ kind: 'api_key', api_key_id: id }),
        data: expect.objectContaining({ operation_id: 'getWhoami' }),
      },
    ]);
  });

  it('writes at most ten events at a time, and an address is forgotten after 90 days', async () => {
    const { id, from, seen } = await used('192.0.2.1');
    const many = Array.from({ length: 30 }, (_, i) => `198.51.100.${i}`);
    await noteUses(t.services.db, [useOf(id, 0, ...many)]);
    expect(await seen()).toEqual(many.slice(-10));
    await sql`update key_addresses set last_used_at = now() - interval '91 days' where network = '198.51.100.0'`.execute(
      t.services.db,
    );
    await forgetWhatExpired(t.services.db);
    await from('198.51.100.0', '198.51.100.1');
    expect(await seen()).toEqual([...many.slice(-10), '198.51.100.0']);
  });
});
