import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import type { EventView } from '../../../kernel/events/schema.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { forgetWhatExpired } from '../../../kernel/retention/store.ts';
import type { Tx } from '../../../store/database.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { type Happening, happen } from '../../../testing/events.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

interface Feed {
  readonly data: EventView[];
  readonly next_cursor: string;
  readonly omitted: { resource_type: string; missing_permission: string }[];
}

interface Reader {
  readonly account: TestAccount;
  readonly key: TestKey;
  get(query?: Record<string, string | number>): Promise<{ status: number; code: string; body: Feed }>;
  tell(...happenings: Happening[]): Promise<void>;
}

async function newReader(permissions = ['*:*:*'], of?: TestAccount): Promise<Reader> {
  const { db } = t.services;
  const account = of ?? (await createAccount(db));
  const key = await createKey(db, account, { permissions });
  return {
    account,
    key,
    async get(query = {}) {
      const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
      const response = await t.call({
        url: `/account/v1/events?${new URLSearchParams(pairs)}`,
        key: key.key,
      });
      return { status: response.statusCode, code: response.json().code, body: response.json<Feed>() };
    },
    tell: (...happenings) => happen(t, account.id, ...happenings),
  };
}

const sequences = ({ data }: Feed): number[] => data.map(({ sequence }) => sequence);
const types = ({ data }: Feed): string[] => data.map(({ type }) => type);

describe('the sequence of the feed', () => {
  const write = (accountId: string, work: (tx: Tx) => Promise<unknown> = async () => undefined) =>
    t.services.db.transaction().execute(async (tx) => {
      const event = { type: 'member.joined', resource: null, message: 'Somebody joined.' };
      await writeEvents(tx, t.registry, { accountId, actor: HOSTPLANE }, [event, event]);
      await work(tx);
    });

  it('has no gap and no duplicate while many transactions write and one client reads', async () => {
    const { account, get } = await newReader();
    const linger = (tx: Tx) => sql`select pg_sleep(random() * 0.005)`.execute(tx);
    const writers = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 12; i++) await write(account.id, linger);
    });
    const seen: number[] = [];
    let cursor: string | undefined;
    while (seen.length < 192) {
      const { body } = await get({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...sequences(body));
      cursor = body.next_cursor;
    }
    await Promise.all(writers);
    expect(seen).toEqual(Array.from({ length: 192 }, (_, i) => i + 1));
  });

  it('has no gap where a transaction was rolled back', async () => {
    const { account, get, tell } = await newReader();
    await tell({});
    const undo = () => Promise.reject(new Error('undone'));
    await expect(write(account.id, undo)).rejects.toThrow('undone');
    await tell({});
    expect(sequences((await get()).body)).toEqual([1, 2]);
  });
});

describe('filters', () => {
  let reader: Reader;

  beforeAll(async () => {
    reader = await newReader();
    await reader.tell(
      { type: 'member.joined', resource: { type: 'member', id: 'mem_a', name: 'Ada' } },
      { type: 'api_key.created', resource: { type: 'api_key', id: 'key_a', name: 'ci' } },
      { type: 'api_key.revoked', resource: { type: 'api_key', id: 'key_a', name: 'ci' } },
      { type: 'operation.failed', resource: { type: 'machine', id: 'mac_a', name: null } },
      { type: 'operation.started', resource: { type: 'machine', id: 'mac_b', name: null } },
    );
  });

  it.each([
    [{}, [1, 2, 3, 4, 5]],
    [{ types: '*' }, [1, 2, 3, 4, 5]],
    [{ types: 'api_key.*' }, [2, 3]],
    [{ types: 'api_key.revoked,member.joined' }, [1, 3]],
    [{ types: 'member.*,operation.failed' }, [1, 4]],
    [{ family: 'account' }, [1, 2, 3]],
    [{ resource_id: 'mac_b' }, [5]],
    [{ resource_type: 'api_key' }, [2, 3]],
    [{ severity_min: 'info' }, [1, 2, 3, 4, 5]],
    [{ severity_min: 'warning' }, [3, 4]],
    [{ severity_min: 'error' }, [4]],
    [{ since: 'now' }, []],
    [{ since: '2100-01-01T00:00:00Z' }, []],
    [{ limit: 2 }, [1, 2]],
    [{ newest_first: 'true' }, [5, 4, 3, 2, 1]],
    [{ newest_first: 'true', limit: 2 }, [5, 4]],
    [{ newest_first: 'true', types: 'api_key.*' }, [3, 2]],
    [{ newest_first: 'true', since: 'now' }, []],
  ])('%j', async (query, expected) => {
    const { status, body } = await reader.get(query);
    expect([status, sequences(body)]).toEqual([200, expected]);
  });

  it('newest_first: pages show each event once, and the same cursor also works in ascending order', async () => {
    const first = (await reader.get({ newest_first: 'true', limit: 3 })).body;
    const second = (await reader.get({ newest_first: 'true', limit: 3, cursor: first.next_cursor })).body;
    const third = (await reader.get({ newest_first: 'true', limit: 3, cursor: second.next_cursor })).body;
    expect([first, second, third].map(sequences)).toEqual([[5, 4, 3], [2, 1], []]);
    expect(sequences((await reader.get({ cursor: first.next_cursor })).body)).toEqual([3, 4, 5]);
  });

  it('since: shows events from that time on', async () => {
    const { body } = await reader.get({ limit: 3 });
    const since = body.data[2]?.occurred_at ?? '';
    const later = (await reader.get({ since })).body.data;
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect(later.every(({ occurred_at }) => occurred_at >= since)).toBe(true);
  });

  it.each([
    [{ types: 'api_key.revokd' }, 'query/types/0 unknown_event_type'],
    [{ types: 'api_key.*,nothing.*' }, 'query/types/1 unknown_event_type'],
    [{ types: 'API' }, 'query/types/0 invalid_format'],
    [{ types: Array.from({ length: 51 }, () => '*').join(',') }, 'query/types too_many'],
    [{ since: 'yesterday' }, 'query/since invalid_format'],
    [{ since: new Date(Date.now() - 31 * 86_400_000).toISOString() }, 'query/since out_of_range'],
    [{ since: 'now', cursor: 'x' }, 'query/since mutually_exclusive'],
  ])('422: %j', async (query, expected) => {
    const { status, body } = await reader.get(query);
    const { errors } = body as unknown as { errors: { pointer: string; code: string; detail: string }[] };
    expect([status, errors.map(({ pointer, code }) => `${pointer} ${code}`)]).toEqual([422, [expected]]);
  });

  it('422: a misspelled event type gets a suggestion', async () => {
    const { body } = await reader.get({ types: 'api_key.revokd' });
    expect(JSON.stringify(body)).toContain('Did you mean api_key.revoked?');
  });
});

describe('a cursor', () => {
  it('of an empty page stays valid, and later returns new events', async () => {
    const { get, tell } = await newReader();
    const { next_cursor: cursor } = (await get()).body;
    expect((await get({ cursor })).body.data).toEqual([]);
    await tell({}, {});
    expect(sequences((await get({ cursor })).body)).toEqual([1, 2]);
  });

  it('is a position in the feed, independent of filters', async () => {
    const { get, tell } = await newReader();
    await tell({ type: 'member.joined' }, { type: 'api_key.created' }, { type: 'member.joined' });
    const first = (await get({ types: 'member.*', limit: 1 })).body;
    expect(sequences(first)).toEqual([1]);
    expect(sequences((await get({ cursor: first.next_cursor })).body)).toEqual([2, 3]);
    // The cursor moves past events that the filter excludes, so a later request does not return them.
    const none = (await get({ types: 'webhook.*' })).body;
    await tell({});
    expect(sequences((await get({ cursor: none.next_cursor })).body)).toEqual([4]);
  });

  it('returns the same events with pages of any size', async () => {
    const { get, tell } = await newReader();
    await tell(
      ...Array.from({ length: 23 }, (_, i) => ({ type: i % 3 ? 'member.joined' : 'api_key.created' })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 30, maxLength: 30 }),
        async (sizes) => {
          const seen: number[] = [];
          let cursor: string | undefined;
          for (const limit of sizes) {
            const { body } = await get({
              limit,
              types: 'member.*',
              ...(cursor === undefined ? {} : { cursor }),
            });
            seen.push(...sequences(body));
            cursor = body.next_cursor;
            if (body.data.length < limit) break;
          }
          expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => i + 1).filter((n) => (n - 1) % 3 !== 0));
        },
      ),
      { numRuns: 10 },
    );
  });

  it('400: a cursor of another account, a changed cursor, or one beyond the end of the feed', async () => {
    const mine = await newReader();
    const theirs = await newReader();
    await theirs.tell({});
    const { next_cursor: cursor } = (await theirs.get()).body;
    expect((await mine.get({ cursor })).code).toBe('invalid_cursor');
    expect((await theirs.get({ cursor: `${cursor}A` })).code).toBe('invalid_cursor');
    await sql`update event_heads set sequence = 0 where account_id = ${theirs.account.id}`.execute(
      t.services.db,
    );
    expect((await theirs.get({ cursor })).code).toBe('invalid_cursor');
  });

  it('410: events after the cursor were already removed; the rest has no gap', async () => {
    const { account, get, tell } = await newReader();
    const { next_cursor: empty } = (await get()).body;
    await tell({}, {}, {}, {});
    const second = (await get({ limit: 2 })).body.next_cursor;
    const age = (from: number, to: number) =>
      sql`update events set occurred_at = now() - interval '31 days'
          where account_id = ${account.id} and sequence between ${from} and ${to}`.execute(t.services.db);
    await age(1, 2);
    // Simulates a clock error: event 4 looks older than event 3. The cleanup must not leave a gap.
    await age(4, 4);
    await forgetWhatExpired(t.services.db);
    expect(sequences((await get()).body)).toEqual([3, 4]);
    expect([(await get({ cursor: empty })).status, (await get({ cursor: empty })).code]).toEqual([
      410,
      'cursor_expired',
    ]);
    expect(sequences((await get({ cursor: second })).body)).toEqual([3, 4]);
    const end = (await get()).body.next_cursor;
    await age(1, 4);
    await forgetWhatExpired(t.services.db);
    expect((await get()).body.data).toEqual([]);
    expect((await get({ cursor: second })).code).toBe('cursor_expired');
    expect((await get({ cursor: end })).status).toBe(200);
    await tell({});
    expect(sequences((await get({ cursor: end })).body)).toEqual([5]);
  });
});

describe('events about resources that a key may not read', () => {
  it('are left out and listed in `omitted`; events without a resource are shown to every key', async () => {
    const owner = await newReader();
    const narrow = await newReader(['account:events:read', 'account:members:read'], owner.account);
    await owner.tell(
      { type: 'account.restricted' },
      { type: 'member.joined', resource: { type: 'member', id: 'mem_a', name: 'Ada' } },
      { type: 'api_key.created', resource: { type: 'api_key', id: 'key_a', name: 'ci' } },
      { type: 'member.joined', resource: { type: 'unheard_of', id: 'x', name: null } },
    );
    const { body } = await narrow.get();
    expect(types(body)).toEqual(['account.restricted', 'member.joined']);
    expect(body.omitted).toEqual(
      expect.arrayContaining([
        { family: 'account', resource_type: 'api_key', missing_permission: 'account:api-keys:read' },
        { family: 'workshop', resource_type: 'machine', missing_permission: 'workshop:machines:read' },
      ]),
    );
    expect(body.omitted.map(({ resource_type }) => resource_type)).not.toContain('member');
    expect((await narrow.get({ types: 'member.*' })).body.omitted).toEqual([]);
    const asked = (await narrow.get({ resource_type: 'api_key' })).body;
    expect([asked.data, asked.omitted.map(({ resource_type }) => resource_type)]).toEqual([[], ['api_key']]);
    expect((await owner.get()).body.omitted).toEqual([]);
    // The cursor also moves past events that the key may not read.
    await owner.tell({ type: 'member.joined' });
    expect(sequences((await narrow.get({ cursor: body.next_cursor })).body)).toEqual([5]);
  });

  it('are shown if they are about operations that the key started', async () => {
    const owner = await newReader();
    const narrow = await newReader(['account:events:read'], owner.account);
    const actor = { kind: 'api_key', api_key_id: narrow.key.id, member_id: null } as const;
    const resource = { type: 'machine', id: 'mac_a', name: null };
    await owner.tell(
      { type: 'operation.started', resource, actor },
      { type: 'operation.started', resource },
      { type: 'machine.created', resource, actor },
      { type: 'operation.succeeded', resource, actor },
    );
    expect(sequences((await narrow.get()).body)).toEqual([1, 4]);
  });

  it('403: no events without the permission to read events', async () => {
    const { get } = await newReader(['account:members:read']);
    expect((await get()).status).toBe(403);
  });
});
