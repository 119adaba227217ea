import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { happen } from '../../testing/events.ts';
import { StreamReader } from '../../testing/stream-reader.ts';
import type { StreamTimes } from './event-stream.ts';

let t: TestApp;
let port: number;
const open: StreamReader[] = [];

async function listen(app: TestApp): Promise<number> {
  await app.app.listen({ port: 0, host: '127.0.0.1' });
  return (app.app.server.address() as { port: number }).port;
}

beforeAll(async () => {
  t = await createTestApp();
  port = await listen(t);
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.leave();
  await seats(0);
});
afterAll(() => t.close());

/** Waits until this many streams are open, over all accounts. */
const seats = (count: number) =>
  vi.waitFor(async () => {
    const { rows } = await sql`select id from event_streams`.execute(t.services.db);
    expect(rows).toHaveLength(count);
  }, 5_000);

interface Listener {
  readonly account: TestAccount;
  readonly key: string;
  listen(query?: string, headers?: Record<string, string>, at?: number): Promise<StreamReader>;
}

async function newListener(permissions = ['*:*:*'], of?: TestAccount): Promise<Listener> {
  const account = of ?? (await createAccount(t.services.db));
  const { key } = await createKey(t.services.db, account, { permissions });
  return {
    account,
    key,
    async listen(query = '', headers = {}, at = port) {
      const path = `/account/v1/events${query}`;
      const reader = await StreamReader.open(at, path, { 'x-api-key': key, ...headers });
      open.push(reader);
      return reader;
    },
  };
}

const count = (n: number) => (reader: StreamReader) => reader.events.length >= n;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function codeOf(reader: StreamReader): Promise<string> {
  await reader.end();
  return `${reader.response.statusCode} ${JSON.parse(reader.text).code}`;
}

describe('a stream of events', () => {
  it('starts at the present, sends a retry time, and sends each event as it happens', async () => {
    const { account, listen: start } = await newListener();
    await happen(t, account.id, {});
    const reader = await start();
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^req_/),
      ratelimit: expect.any(String),
    });
    await happen(t, account.id, { type: 'api_key.created' }, { type: 'member.joined' });
    await reader.until(count(2));
    expect(reader.text.startsWith('retry: 3000\n\nid: ')).toBe(true);
    expect(reader.events.map(({ event }) => event)).toEqual(['api_key.created', 'member.joined']);
    expect(JSON.parse(reader.events[0]?.data ?? '')).toMatchObject({ sequence: 2, type: 'api_key.created' });
  });

  it('shares its cursors with pages, in both directions', async () => {
    const { account, key, listen: start } = await newListener();
    const page = async (query: string) => (await t.call({ url: `/account/v1/events?${query}`, key })).json();
    await happen(t, account.id, ...range(1, 5).map(() => ({})));
    const first = await page('limit=2');
    const one = await (await start(`?cursor=${first.next_cursor}`)).until(count(3));
    await happen(t, account.id, {}, {});
    await one.until(count(5));
    one.leave();
    const lastEventId = one.events.at(-2)?.id ?? '';
    // `Last-Event-ID` takes precedence over the cursor in the URL.
    const two = await (await start(`?cursor=${first.next_cursor}`, { 'last-event-id': lastEventId })).until(
      count(1),
    );
    const rest = await page(`cursor=${two.events.at(-1)?.id}`);
    expect([one.sequences, two.sequences, rest.data]).toEqual([range(3, 7), [7], []]);
    const since = await (await start(`?since=${new Date(Date.now() - 3_600_000).toISOString()}`)).until(
      count(7),
    );
    expect(since.sequences).toEqual(range(1, 7));
  });

  it('misses and repeats nothing while many write and it reconnects again and again', async () => {
    const { account, listen: start } = await newListener();
    let reader = await start('?since=now');
    const writing = Promise.all(
      range(1, 6).map(async () => {
        for (let i = 0; i < 15; i++) await happen(t, account.id, {}, {});
      }),
    );
    const seen: number[] = [];
    let last = '';
    while (seen.length < 180) {
      await reader.until(count(Math.min(17, 180 - seen.length)));
      reader.leave();
      seen.push(...reader.sequences);
      last = reader.events.at(-1)?.id ?? last;
      reader = await start('', { 'last-event-id': last });
    }
    await writing;
    expect(seen).toEqual(range(1, 180));
  });

  it('shows only events that its filters and permissions allow', async () => {
    const owner = await newListener();
    const narrow = await newListener(['account:events:read', 'account:members:read'], owner.account);
    const [all, some] = [await owner.listen('?types=member.*,api_key.*'), await narrow.listen()];
    const resource = { type: 'api_key', id: 'key_x', name: 'x' };
    await happen(t, owner.account.id, { type: 'api_key.created', resource }, { type: 'account.restricted' });
    await happen(t, owner.account.id, { type: 'member.joined' });
    await Promise.all([all.until(count(2)), some.until(count(2))]);
    expect([all.sequences, some.sequences]).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it('is refused like any other call', async () => {
    const { account, key, listen: start } = await newListener();
    const other = await newListener(['account:members:read'], account);
    expect(await codeOf(await other.listen())).toBe('403 permission_denied');
    expect(await codeOf(await start('?cursor=x'))).toBe('400 invalid_cursor');
    expect(await codeOf(await start('?types=nothing.*'))).toBe('422 validation_failed');
    const { next_cursor: empty } = (await t.call({ url: '/account/v1/events', key })).json();
    await happen(t, account.id, {}, {});
    await sql`delete from events where account_id = ${account.id} and sequence = 1`.execute(t.services.db);
    expect(await codeOf(await start('', { 'last-event-id': empty }))).toBe('410 cursor_expired');
    await seats(0);
  });

  it('is used only if the Accept header prefers it', async () => {
    const { listen: start } = await newListener();
    for (const accept of [
      '*/*',
      'application/json',
      'text/event-stream;q=0, */*',
      'application/json, text/event-stream;q=0.5',
    ])
      expect([accept, (await start('', { accept })).response.headers['content-type']]).toEqual([
        accept,
        'application/json',
      ]);
    const both = await start('', { accept: 'application/json;q=0.9, text/event-stream' });
    expect(both.response.headers['content-type']).toBe('text/event-stream');
  });
});

describe('a stream ends', () => {
  it.each([
    [
      'api_key_revoked',
      ({ key }: Listener) =>
        sql`update api_keys set status = 'revoked' where public_id = ${key.split('_')[1]}`.execute(
          t.services.db,
        ),
    ],
    [
      'permission_denied',
      ({ account }: Listener) =>
        sql`update members set role = 'billing' where id = ${account.ownerId}`.execute(t.services.db),
    ],
    [
      'ip_not_allowed',
      ({ account }: Listener) =>
        sql`insert into ip_allowlists (account_id, mode) values (${account.id}, 'enforce')`.execute(
          t.services.db,
        ),
    ],
  ])('with %s when the permission is lost', async (code, lose) => {
    const listener = await newListener();
    const reader = await listener.listen();
    await happen(t, listener.account.id, {});
    await reader.until(count(1));
    await lose(listener);
    await reader.end();
    expect(reader.text.endsWith(`\n\nevent: end\ndata: {"code":"${code}"}\n\n`)).toBe(true);
    await seats(0);
  });

  async function withTimes(
    streamTimes: Partial<StreamTimes>,
    work: (port: number, app: TestApp) => Promise<void>,
  ) {
    const app = await createTestApp({ database: t.database, server: { streamTimes }, works: false });
    try {
      await work(await listen(app), app);
    } finally {
      await app.close();
    }
  }

  it('when its time is over, with keep-alives until then', async () => {
    await withTimes({ commentMilliseconds: 20, lifeMilliseconds: 200 }, async (at) => {
      const { account, listen: start } = await newListener();
      const reader = await start('', {}, at);
      await happen(t, account.id, {});
      await reader.end();
      expect([reader.sequences, reader.text.includes('\n\n:\n\n'), reader.text.endsWith('\n\n')]).toEqual([
        [1],
        true,
        true,
      ]);
    });
  });

  it('when the server stops', async () => {
    await withTimes({}, async (at, app) => {
      const reader = await (await newListener()).listen('', {}, at);
      app.running.drain();
      await app.app.close();
      expect((await reader.end()).text).toBe('retry: 3000\n\n');
    });
  });

  it('when the client reads too slowly, and can be resumed at its position', async () => {
    const small = { backlogBytes: 64 * 1024, patienceMilliseconds: 300 };
    await withTimes(small, async (at) => {
      const { account, listen: start } = await newListener();
      const reader = await start('?since=now&limit=200', {}, at);
      await reader.until(({ text }) => text !== '');
      reader.stall();
      const message = 'x'.repeat(15_000);
      for (let i = 0; i < 10; i++) await happen(t, account.id, ...range(1, 100).map(() => ({ message })));
      await seats(0);
      reader.response.resume();
      await reader.end();
      const seen = reader.sequences;
      expect(seen).toEqual(range(1, seen.length));
      expect(seen.length).toBeLessThan(1000);
      const lastEventId = reader.events.at(-1)?.id;
      const rest = await start('?limit=200', lastEventId ? { 'last-event-id': lastEventId } : {}, at);
      await rest.until((all) => all.events.length === 1000 - seen.length);
      expect([...seen, ...rest.sequences]).toEqual(range(1, 1000));
    });
  });
});

describe('409: at most this many streams', () => {
  it('5 for a key and 20 for an account; a closed stream makes room', async () => {
    const { db } = t.services;
    const listener = await newListener();
    const five = await Promise.all(range(1, 5).map(() => listener.listen()));
    expect(await codeOf(await listener.listen())).toBe('409 stream_limit_reached');
    five[0]?.leave();
    await seats(4);
    await listener.listen();
    await seats(5);
    const others = await Promise.all(range(1, 3).map(() => newListener(['*:*:*'], listener.account)));
    await Promise.all(others.flatMap((other) => range(1, 5).map(() => other.listen())));
    await seats(20);
    const late = await newListener(['*:*:*'], listener.account);
    expect(await codeOf(await late.listen())).toBe('409 stream_limit_reached');
    expect((await (await newListener()).listen()).response.statusCode).toBe(200);
    // The streams of a crashed process count for half a minute.
    await sql`update event_streams set seen_at = now() - interval '31 seconds'`.execute(db);
    expect((await late.listen()).response.statusCode).toBe(200);
  });

  it('even if many are opened at the same time', async () => {
    const listener = await newListener();
    const readers = await Promise.all(range(1, 12).map(() => listener.listen()));
    const statuses = readers.map(({ response }) => response.statusCode).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, ...range(1, 7).map(() => 409)]);
  });
});
