import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AllowlistMode } from '../kernel/access/tables.ts';
import { DenialQueue } from '../kernel/denials/queue.ts';
import { newId } from '../kernel/ids.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { forgeKey } from './forged-keys.ts';
import { expectWellFormed, outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, probeOf, type World } from './walk.ts';

/** Contains the client addresses of all test calls that set no address. */
const INSIDE = '10.0.0.0/8';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});

afterAll(() => app.close());

interface Entry {
  readonly cidr: string;
  readonly expires_at?: Date;
}

async function createGuarded(mode: AllowlistMode, entries: readonly Entry[] = []): Promise<World> {
  const world = await createWorld(app);
  const { db } = app.services;
  const { id: account_id } = world.account;
  await db.insertInto('ip_allowlists').values({ account_id, mode }).execute();
  for (const entry of entries) {
    const id = newId('allowlist_entry');
    await db
      .insertInto('ip_allowlist_entries')
      .values({ id, account_id, created_by: 'a test', ...entry })
      .execute();
  }
  return world;
}

let strangers = 0;
/** Returns a new address for each case, so that denials are not folded into one row and no case hits the rate limit. */
function outsider(): string {
  strangers++;
  return `198.51.${strangers >> 8}.${strangers & 255}`;
}

interface Denial {
  readonly operation_id: string;
  readonly client_ip: string;
  readonly cause: string;
  readonly count: number;
}

async function listDenials(world: World, query = ''): Promise<{ data: Denial[]; dropped: number }> {
  const response = await app.call({ url: `/account/v1/key-denials?limit=200${query}`, key: world.key.key });
  expect(response.statusCode).toBe(200);
  return response.json();
}

async function denialsFrom(world: World, address: string): Promise<Denial[]> {
  await app.services.denials.flush();
  return (await listDenials(world, `&client_ip=${encodeURIComponent(address)}`)).data;
}

const whoami = (key: TestKey, remoteAddress: string) =>
  app.call({ url: '/account/v1/whoami', key: key.key, remoteAddress });

/** The member names of an answer, without the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'array';
  if (value === null || typeof value !== 'object') return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

describe.each([
  { mode: 'off', enforced: null, header: undefined },
  { mode: 'report_only', enforced: false, header: 'would-deny' },
  { mode: 'enforce', enforced: true, header: undefined },
] as const)('$mode', ({ mode, enforced, header }) => {
  let world: World;

  beforeAll(async () => {
    world = await createGuarded(mode, [{ cidr: INSIDE }]);
  });

  it.each(sample(endpoints))('$id', async (endpoint) => {
    const probe = { ...probeOf(endpoint), key: world.key.key };
    const inside = await app.call(probe);
    expect(outcomeOf(inside)).not.toMatch(/^(401|403|429|5)/);
    expect([endpoint.id, inside.headers['hostplane-allowlist']]).toEqual([endpoint.id, undefined]);
    const remoteAddress = outsider();
    await app.call({ ...probe, remoteAddress });
    const outside = await app.call({ ...probe, remoteAddress });
    expect([endpoint.id, outcomeOf(outside), outside.headers['hostplane-allowlist']]).toEqual([
      endpoint.id,
      enforced ? '403 ip_not_allowed' : outcomeOf(inside),
      header,
    ]);
    expectWellFormed(endpoint.id, outside);
    if (enforced) {
      expect(outside.json()).toMatchObject({ client_ip: remoteAddress });
      expect(outside.headers['x-required-permission']).toBe(endpoint.permission);
    } else {
      const names = Object.keys(outside.headers).filter((name) => name !== 'hostplane-allowlist');
      expect([endpoint.id, names.sort()]).toEqual([endpoint.id, Object.keys(inside.headers).sort()]);
      const shapes = [inside, outside].map(({ body }) => shapeOf(body === '' ? null : JSON.parse(body)));
      expect([endpoint.id, shapes[1]]).toEqual([endpoint.id, shapes[0]]);
    }
    const denials = await denialsFrom(world, remoteAddress);
    const expected = {
      cause: 'ip_restriction',
      code: 'ip_not_allowed',
      enforced,
      allowlist_mode: mode,
      client_ip: remoteAddress,
      method: endpoint.method,
      path_template: endpoint.path,
      operation_id: endpoint.id,
      required_permission: null,
      denied_by: null,
      count: 2,
      last_request_id: outside.headers['x-request-id'],
      hint: expect.stringMatching(/\.$/),
      key: expect.objectContaining({ id: world.key.id, public_id: world.key.publicId }),
    };
    expect([endpoint.id, denials]).toEqual([
      endpoint.id,
      enforced === null ? [] : [expect.objectContaining(expected)],
    ]);
  });
});

describe('the addresses that an enforced allowlist admits', () => {
  const soon = (milliseconds: number): Date => new Date(Date.now() + milliseconds);
  const cases: { title: string; entries: Entry[]; in: string[]; out: string[] }[] = [
    {
      title: 'IPv4 ranges and single addresses, mapped peers alike',
      entries: [{ cidr: '203.0.113.0/24' }, { cidr: '192.0.2.77/32' }],
      in: ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.9', '192.0.2.77', '::ffff:192.0.2.77'],
      out: [
        '203.0.112.255',
        '203.0.114.0',
        '::ffff:203.0.114.9',
        '192.0.2.78',
        '::203.0.113.9',
        '2001:db8::1',
      ],
    },
    {
      title: 'IPv6 ranges and single addresses',
      entries: [{ cidr: '2001:db8:5::/48' }, { cidr: '2001:db8:9::1/128' }],
      in: ['2001:db8:5::', '2001:db8:5:ffff:ffff:ffff:ffff:ffff', '2001:0DB8:5::1', '2001:db8:9::1'],
      out: ['2001:db8:6::', '2001:db8:4:ffff::1', '2001:db8:9::2', '203.0.113.9', '::ffff:203.0.113.9'],
    },
    {
      title: 'nobody by an expired entry, also when it was the last',
      entries: [{ cidr: '203.0.113.0/24', expires_at: soon(-1000) }],
      in: [],
      out: ['203.0.113.7', '192.0.2.1', '2001:db8::1'],
    },
    {
      title: 'by a live wider entry where a narrower one has expired',
      entries: [
        { cidr: '203.0.0.0/16', expires_at: soon(3_600_000) },
        { cidr: '203.0.113.0/24', expires_at: soon(-1000) },
        { cidr: '2001:db8::/32' },
        { cidr: '2001:db8:5::/48', expires_at: soon(-1000) },
      ],
      in: ['203.0.113.7', '203.0.1.1', '2001:db8:5::1'],
      out: ['203.1.0.1', '2001:db9::1'],
    },
    {
      title: 'nobody where there is no entry',
      entries: [],
      in: [],
      out: ['203.0.113.7', '::1', '127.0.0.1'],
    },
  ];

  it.each(cases)('$title', async ({ entries, in: inside, out }) => {
    const { key } = await createGuarded('enforce', entries);
    for (const address of inside) {
      expect([address, outcomeOf(await whoami(key, address))]).toEqual([address, '200']);
    }
    for (const address of out) {
      expect([address, outcomeOf(await whoami(key, address))]).toEqual([address, '403 ip_not_allowed']);
    }
  });

  it('no longer include an entry that has expired, without any write', async () => {
    const { key } = await createGuarded('enforce', [
      { cidr: '203.0.113.0/24', expires_at: soon(30_000) },
      { cidr: '203.0.113.64/26', expires_at: soon(20_000) },
    ]);
    const outcomeAfter = (milliseconds: number) => {
      vi.setSystemTime(soon(milliseconds));
      return whoami(key, '203.0.113.70').then(outcomeOf);
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      expect(await outcomeAfter(0)).toBe('200');
      expect(await outcomeAfter(25_000)).toBe('200');
      expect(await outcomeAfter(10_000)).toBe('403 ip_not_allowed');
    } finally {
      vi.useRealTimers();
    }
  });

  it('include an IPv4-mapped peer as its IPv4 address', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    const address = outsider();
    const response = await whoami(world.key, `::ffff:${address}`);
    expect(response.json()).toMatchObject({ code: 'ip_not_allowed', client_ip: address });
    expect(await denialsFrom(world, address)).toHaveLength(1);
  });
});

describe('recent denials', () => {
  it('are listed with their cause, and repeated ones are counted in one row', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    const address = outsider();
    for (let i = 0; i < 3; i++) await whoami(world.key, address);
    const narrow = await createKey(app.services.db, world.account, { permissions: ['account:profile:read'] });
    await app.call({ url: '/account/v1/members', key: narrow.key });
    const seen = async () =>
      (await listDenials(world)).data.map(
        ({ cause, operation_id, count }) => `${cause} ${operation_id} ${count}`,
      );
    const expected = ['ip_restriction getWhoami 3', 'permission listMembers 1'];
    await expect.poll(async () => (await seen()).sort(), { interval: 100 }).toEqual(expected);
  });

  it('are two rows if both causes apply in Report only', async () => {
    const world = await createGuarded('report_only', [{ cidr: INSIDE }]);
    const narrow = await createKey(app.services.db, world.account, { permissions: ['account:profile:read'] });
    const address = outsider();
    const response = await app.call({ url: '/account/v1/members', key: narrow.key, remoteAddress: address });
    expect([outcomeOf(response), response.headers['hostplane-allowlist']]).toEqual([
      '403 permission_denied',
      'would-deny',
    ]);
    const seen = (await denialsFrom(world, address)).map(({ cause }) => cause);
    expect(seen.sort()).toEqual(['ip_restriction', 'permission']);
  });

  it('begin a new row ten minutes after the first', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    const address = outsider();
    await whoami(world.key, address);
    expect(await denialsFrom(world, address)).toHaveLength(1);
    await sql`update key_denials set first_at = first_at - interval '601 seconds' where client_ip = ${address}`.execute(
      app.services.db,
    );
    await whoami(world.key, address);
    await whoami(world.key, address);
    expect((await denialsFrom(world, address)).map(({ count }) => count).sort()).toEqual([1, 2]);
  });

  it('are not written for wrong secrets or for keys that do not work', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    const { db } = app.services;
    const address = outsider();
    const revoked = await createKey(db, world.account, { status: 'revoked' });
    const expired = await createKey(db, world.account, { expires_at: new Date(0) });
    for (const key of [forgeKey(world.key.publicId), forgeKey('NeverIssued2'), revoked.key, expired.key]) {
      const response = await app.call({ url: '/account/v1/whoami', key, remoteAddress: address });
      expect(response.statusCode).toBe(401);
    }
    expect(await denialsFrom(world, address)).toEqual([]);
  });

  it('may lose rows in a flood, but never the count of lost rows', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    const failures: unknown[] = [];
    const denials = new DenialQueue(app.services.db, (error) => void failures.push(error), 3);
    const flooded = createServer({ ...app.services, denials });
    const call = (remoteAddress: string) =>
      flooded.inject({ url: '/account/v1/whoami', headers: { 'x-api-key': world.key.key }, remoteAddress });
    const first = outsider();
    for (const address of [first, first, ...Array.from({ length: 9 }, outsider), first]) {
      expect((await call(address)).statusCode).toBe(403);
    }
    expect(denials.dropped).toBe(7);
    await denials.close();
    await flooded.close();
    expect(failures).toEqual([]);
    const { data, dropped } = await listDenials(world);
    expect(data.map(({ count }) => count).sort()).toEqual([1, 1, 3]);
    expect(dropped).toBe(7);
  });
});

describe('denials by address', () => {
  it('are found by an address in any notation, and a text that is not an address is refused', async () => {
    const world = await createGuarded('enforce', [{ cidr: INSIDE }]);
    expect(outcomeOf(await whoami(world.key, '2001:db8:77::1'))).toBe('403 ip_not_allowed');
    for (const spelling of ['2001:db8:77::1', '2001:DB8:77:0:0::1'])
      expect([spelling, (await denialsFrom(world, spelling)).length]).toEqual([spelling, 1]);
    const none = await app.call({ url: '/account/v1/key-denials?client_ip=office', key: world.key.key });
    expect([outcomeOf(none), none.json().errors[0].pointer]).toEqual([
      '422 validation_failed',
      'query/client_ip',
    ]);
  });
});
