import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AddressPool } from '../../provider/catalogue.ts';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { poolsOf } from './pool.ts';
import {
  type AddressRequest,
  allocateAddress,
  attachedAddresses,
  lockAddress,
  type PublicAddressRow,
  QUARANTINE_DAYS,
  releaseAddress,
} from './store.ts';

const single = (slug: string, cidr: string, location = 'fra1'): AddressPool => ({
  slug,
  cidr,
  location,
  purpose: 'single',
});

const now = new Date('2026-03-01T10:00:00Z');
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000);

const CONNECTIONS = 16;

let database: TestDatabase;
let db: Db;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: CONNECTIONS }));
});

beforeEach(async () => {
  await sql`truncate public_addresses, address_holdings, address_pool_cuts`.execute(db);
  account = await createAccount(db);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const request = (pools: readonly AddressPool[], over: Partial<AddressRequest> = {}): AddressRequest => ({
  pools,
  location: 'fra1',
  version: 4,
  accountId: account.id,
  kind: 'ephemeral',
  vmId: null,
  now,
  ...over,
});

const allocate = (pools: readonly AddressPool[], over: Partial<AddressRequest> = {}) =>
  db.transaction().execute((tx) => allocateAddress(tx, request(pools, over)));

async function allocated(pools: readonly AddressPool[], over: Partial<AddressRequest> = {}) {
  const row = await allocate(pools, over);
  if (row === null) throw new Error('There is none left.');
  return row;
}

const texts = (pool: AddressPool, version: 4 | 6): string[] => {
  const [made] = poolsOf([pool], pool.location, version);
  return Array.from({ length: made?.size ?? 0 }, (_, place) => made?.at(place) ?? '');
};

describe('the addresses of a pool', () => {
  it('are all but the network, the gateway and the broadcast address', () => {
    expect(texts(single('a', '203.0.113.248/29'), 4)).toEqual([
      '203.0.113.250/32',
      '203.0.113.251/32',
      '203.0.113.252/32',
      '203.0.113.253/32',
      '203.0.113.254/32',
    ]);
  });

  it.each(['203.0.113.0/31', '203.0.113.7/32'])('are none if %s has no room for more than those', (cidr) => {
    expect(texts(single('a', cidr), 4)).toEqual([]);
  });

  it('are /64 prefixes for IPv6', () => {
    expect(texts(single('a', '2001:db8:0:fffe::/63'), 6)).toEqual([
      '2001:db8:0:fffe::/64',
      '2001:db8:0:ffff::/64',
    ]);
    const [wide] = poolsOf([single('a', '2001:d00::/24')], 'fra1', 6);
    expect(wide?.size).toBe(2 ** 40);
    expect(wide?.at(2 ** 32 + 5)).toBe('2001:d01:0:5::/64');
  });

  it('do not include other locations, other versions, or blocks that are routed as a whole', () => {
    const pools = [
      single('elsewhere', '203.0.113.0/26', 'ams1'),
      single('six', '2001:db8::/48'),
      { ...single('blocks', '198.51.100.0/26'), purpose: 'subnet' as const },
    ];
    expect(poolsOf(pools, 'fra1', 4)).toEqual([]);
  });
});

describe('allocating an address', () => {
  it('assigns the next free one to the account', async () => {
    const pools = [single('a', '203.0.113.0/29')];
    const first = await allocated(pools);
    expect(first).toMatchObject({
      account_id: account.id,
      block: '203.0.113.2/32',
      pool: 'a',
      location: 'fra1',
      kind: 'ephemeral',
      quarantined_until: null,
      version: 1,
    });
    expect((await allocated(pools, { kind: 'reserved' })).block).toBe('203.0.113.3/32');
  });

  it('assigns a separate prefix to each request for IPv6', async () => {
    const pools = [single('four', '203.0.113.0/29'), single('six', '2001:db8:100::/40')];
    const blocks = [await allocated(pools, { version: 6 }), await allocated(pools, { version: 6 })];
    expect(blocks.map(({ block }) => block)).toEqual(['2001:db8:100::/64', '2001:db8:100:1::/64']);
  });

  it('uses the next pool when one is exhausted, and then fails', async () => {
    const pools = [single('a', '203.0.113.0/30'), single('b', '198.51.100.0/30')];
    expect((await allocated(pools)).pool).toBe('a');
    expect((await allocated(pools)).pool).toBe('b');
    expect(await allocate(pools)).toBeNull();
    expect(await allocate(pools, { location: 'ams1' })).toBeNull();
  });

  it('keeps addresses from a pool that was divided differently before', async () => {
    const before = [single('a', '203.0.113.0/29'), single('b', '203.0.113.8/29')];
    const held = await allocated(before);
    const blocks = new Set([held.block]);
    const after = [single('c', '203.0.113.0/28')];
    for (let n = 0; n < 12; n++) blocks.add((await allocated(after)).block);
    expect(blocks.size).toBe(13);
    expect(await allocate(after)).toBeNull();
    expect(new Set(await poolsInUse())).toEqual(new Set(['a', 'c']));
  });

  it('is rolled back with its transaction', async () => {
    const pools = [single('a', '203.0.113.0/30')];
    const undone = db.transaction().execute(async (tx) => {
      expect(await allocateAddress(tx, request(pools))).not.toBeNull();
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await allocated(pools)).block).toBe('203.0.113.2/32');
  });
});

const poolsInUse = async (): Promise<string[]> =>
  (await db.selectFrom('public_addresses').select('pool').where('account_id', 'is not', null).execute()).map(
    ({ pool }) => pool,
  );

/** Where a transaction stops until the test lets it go on. */
class Pause {
  end!: () => void;
  #arrive!: () => void;
  readonly #ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  readonly reached = new Promise<void>((resolve) => {
    this.#arrive = resolve;
  });

  here(): Promise<void> {
    this.#arrive();
    return this.#ended;
  }
}

async function lockIsWaitedFor(): Promise<void> {
  const waiting = sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
}

/** Pools with exactly 100 usable addresses: 61 + 29 + 5 + 5. */
const hundred = [
  single('a', '203.0.113.0/26'),
  single('b', '203.0.113.64/27'),
  single('c', '203.0.113.96/29'),
  single('d', '203.0.113.104/29'),
];

describe('many concurrent allocations', () => {
  it('300 requests for 100 addresses: exactly 100 succeed, and none is assigned twice, even with rollbacks', async () => {
    const rows: PublicAddressRow[] = [];
    let next = 0;
    const attempt = async (): Promise<void> => {
      for (let n = next++; n < 300; n = next++) {
        const row = await db
          .transaction()
          .execute(async (tx) => {
            const taken = await allocateAddress(tx, request(hundred));
            if (n % 3 === 0 && taken !== null) throw new Error('undone');
            return taken;
          })
          .catch((error: Error) => {
            if (error.message !== 'undone') throw error;
            return null;
          });
        if (row !== null) rows.push(row);
      }
    };
    // As many at once as there are connections: more would only wait for one, and give up on a busy machine.
    await Promise.all(Array.from({ length: CONNECTIONS }, attempt));
    expect(rows).toHaveLength(100);
    expect(new Set(rows.map(({ block }) => block)).size).toBe(100);
    expect(await allocate(hundred)).toBeNull();
  });

  it('no request fails while a transaction may still release the last address', async () => {
    const pools = [single('a', '203.0.113.0/30')];
    await allocated(pools).then(({ id }) => releaseAddress(db, id, later(-QUARANTINE_DAYS)));
    await db.updateTable('public_addresses').set({ former_account_id: null }).execute();
    const pause = new Pause();
    const first = db.transaction().execute(async (tx) => {
      await allocateAddress(tx, request(pools));
      await pause.here();
      throw new Error('undone');
    });
    await pause.reached;
    const second = allocate(pools);
    await lockIsWaitedFor();
    pause.end();
    await expect(first).rejects.toThrow('undone');
    expect((await second)?.block).toBe('203.0.113.2/32');
  });

  it('no request fails if the awaited address is taken and another is released', async () => {
    const pools = [single('a', '203.0.113.0/29')];
    const held = await Promise.all(Array.from({ length: 5 }, () => allocated(pools)));
    for (const { id } of held.slice(0, 2)) await releaseAddress(db, id, later(-QUARANTINE_DAYS));
    await db.updateTable('public_addresses').set({ former_account_id: null }).execute();
    const [kept, undone] = [new Pause(), new Pause()];
    const hold = async (pause: Pause, isKept: boolean) => {
      const held = db.transaction().execute(async (tx) => {
        await allocateAddress(tx, request(pools));
        await pause.here();
        if (!isKept) throw new Error('undone');
      });
      await pause.reached;
      return { held };
    };
    // The third waits for the row that comes first, which is the one that the first transaction took.
    const first = await hold(kept, true);
    const second = await hold(undone, false);
    const third = allocate(pools);
    await lockIsWaitedFor();
    kept.end();
    await first.held;
    undone.end();
    await expect(second.held).rejects.toThrow('undone');
    expect(await third).not.toBeNull();
  });

  it('a request gets an address that a newer request added from the pool', async () => {
    const pools = [single('a', '203.0.113.0/29')];
    await allocated(pools, { now: later(1) });
    expect(await allocate(pools)).not.toBeNull();
  });
});

describe('releasing an address', () => {
  const pools = [single('a', '203.0.113.0/30')];

  it('keeps it in quarantine for a week, then anybody can get it under another id', async () => {
    const held = await allocated(pools, { kind: 'reserved' });
    await releaseAddress(db, held.id, now);
    await expect(lockAddress(db, account.id, held.id)).rejects.toMatchObject({ code: 'not_found' });
    const { id: accountId } = await createAccount(db);
    expect(await allocate(pools, { accountId, now: later(QUARANTINE_DAYS - 0.01) })).toBeNull();
    const again = await allocated(pools, { accountId, now: later(QUARANTINE_DAYS) });
    expect(again).toMatchObject({
      block: held.block,
      account_id: accountId,
      former_account_id: null,
      kind: 'ephemeral',
      version: 1,
    });
    expect(again.id).not.toBe(held.id);
  });

  it('twice does not restart the week', async () => {
    const held = await allocated(pools);
    await releaseAddress(db, held.id, now);
    await releaseAddress(db, held.id, later(5));
    const { id: accountId } = await createAccount(db);
    expect(await allocate(pools, { accountId, now: later(QUARANTINE_DAYS) })).not.toBeNull();
  });

  it('returns it to the same account immediately, before any other address', async () => {
    const wide = [single('a', '203.0.113.0/29')];
    const held = await allocated(wide);
    await allocated(wide);
    await releaseAddress(db, held.id, now);
    const { id: accountId } = await createAccount(db);
    expect((await allocated(wide, { accountId })).block).not.toBe(held.block);
    expect((await allocated(wide)).block).toBe(held.block);
    expect((await allocated(wide)).block).not.toBe(held.block);
  });

  it('does not return an address of another location or IP version', async () => {
    const both = [single('a', '203.0.113.0/30'), single('b', '198.51.100.0/30', 'ams1')];
    const held = await allocated(both);
    await releaseAddress(db, held.id, now);
    expect((await allocated(both, { location: 'ams1' })).pool).toBe('b');
    expect(await allocate(both, { version: 6 })).toBeNull();
  });

  it('leaves it in quarantine when the account is deleted', async () => {
    const gone = await createAccount(db);
    const held = await allocated(pools, { accountId: gone.id });
    await releaseAddress(db, held.id, now);
    await db.deleteFrom('accounts').where('id', '=', gone.id).execute();
    expect(await allocate(pools, { now: later(QUARANTINE_DAYS - 0.01) })).toBeNull();
    expect(await allocate(pools, { now: later(QUARANTINE_DAYS) })).not.toBeNull();
  });

  it('returns another one if a concurrent request of the account holds the former one', async () => {
    const wide = [single('a', '203.0.113.0/29')];
    await allocated(wide).then(({ id }) => releaseAddress(db, id, now));
    const pause = new Pause();
    const first = db.transaction().execute(async (tx) => {
      await allocateAddress(tx, request(wide));
      await pause.here();
    });
    await pause.reached;
    expect((await allocate(wide))?.block).toBe('203.0.113.3/32');
    pause.end();
    await first;
  });

  it('does not show an address of another account', async () => {
    const held = await allocated(pools);
    const other = await createAccount(db);
    await expect(lockAddress(db, other.id, held.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await attachedAddresses(db, [])).toEqual([]);
  });
});

it('the database refuses an address twice, or one within the prefix of another', async () => {
  const insert = (id: string, block: string) =>
    db
      .insertInto('public_addresses')
      .values({ id, name: id, account_id: account.id, pool: 'a', location: 'fra1', block, kind: 'reserved' })
      .execute();
  await insert('ip_1', '2001:db8::/64');
  await expect(insert('ip_2', '2001:db8::/64')).rejects.toThrow('held_once');
  await expect(insert('ip_3', '2001:db8::7/128')).rejects.toThrow('held_once');
});

it('the check for a held address reads as few pages with many addresses as with few', async () => {
  const insert = (from: number, to: number) =>
    sql`insert into public_addresses (id, account_id, pool, location, block, kind)
        select 'ip_' || i, ${account.id}, 'a', 'fra1', ('10.0.0.0'::inet + i)::cidr, 'reserved'
        from generate_series(${from}::int, ${to}::int) i`.execute(db);
  const pagesRead = async (): Promise<number> => {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
      explain (analyze, buffers, format json)
      select from public_addresses where block && '10.0.0.77'::inet`.execute(db);
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  };
  await insert(1, 500);
  const few = await pagesRead();
  await insert(501, 5000);
  expect(await pagesRead()).toBeLessThanOrEqual(few + 2);
});
