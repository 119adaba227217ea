/** What the endpoints promise, on the nameserver of a sandbox. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxDns } from '../../../engines/dns/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/sandbox/store.ts';
import { claimSubject, releaseSubject } from '../../../kernel/claims/store.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { outcomeOf } from '../../../laws/responses.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { makeDue, NamingAccount, runSchedules, warningsOf } from '../../../testing/reverse-names.ts';
import { recordIdOf } from './record-id.ts';

let app: TestApp;
let mine: NamingAccount;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await NamingAccount.open(app);
});
afterEach(() => clearFaults(app.services.db));

const engine = () => app.services.dns.at('fra1') as SandboxDns;
const atServer = async (address: string) => (await engine().observePtr(address))?.hostnames ?? [];
const defaultOf = (address: string) => `${address.replaceAll('.', '-')}.fra1.ip.demo.example`;
const rowsOf = async (address: string) =>
  (await app.services.db.selectFrom('reverse_records').selectAll().execute()).filter(
    (row) => row.address === address,
  );

describe('an address of an account', () => {
  it('IPv4: has its default name from the beginning, then the one that is set, and the default again with null', async () => {
    const { id, text } = await mine.address();
    expect(await mine.record(text)).toMatchObject({
      address: text,
      address_id: id,
      family: 'ipv4',
      hostname: defaultOf(text),
      is_default: true,
      sync_status: 'pending',
    });
    await runSchedules(app, 'names');
    expect(await atServer(text)).toEqual([defaultOf(text)]);
    const set = await mine.put(text, { hostname: 'Mail.Example.com.', ttl_seconds: 600 });
    expect(set.statusCode).toBe(200);
    expect(set.json()).toMatchObject({
      hostname: 'mail.example.com',
      is_default: false,
      ttl_seconds: 600,
      sync_status: 'synced',
    });
    expect(await engine().observePtr(text)).toEqual({
      address: text,
      hostnames: ['mail.example.com'],
      ttlSeconds: 600,
    });
    expect(await mine.name(text, null)).toMatchObject({ hostname: defaultOf(text), is_default: true });
    expect(await atServer(text)).toEqual([defaultOf(text)]);
  });

  it('IPv6: any of a prefix can be named, has a record only while it is, and is named by its id, too', async () => {
    const { id, text } = await mine.address(6, 0xbeef);
    expect(await mine.list()).toEqual([]);
    const first = await mine.put(text, { hostname: 'v6.example.com' });
    expect(first.statusCode).toBe(201);
    const record = first.json();
    expect(record).toMatchObject({ address: text, address_id: id, family: 'ipv6', sync_status: 'synced' });
    expect(await atServer(text)).toEqual(['v6.example.com']);
    expect((await mine.put(record.id, { hostname: 'v6b.example.com' })).statusCode).toBe(200);
    const removed = await mine.put(record.id, { hostname: null });
    expect([removed.statusCode, removed.json().hostname]).toEqual([200, null]);
    expect(await atServer(text)).toEqual([]);
    expect([await mine.list(), await rowsOf(text)]).toEqual([[], []]);
    expect((await mine.put(record.id, { hostname: null })).statusCode).toBe(200);
    expect((await mine.put(text, { hostname: 'v6.example.com' })).statusCode).toBe(201);
  });

  it('loses its name when it leaves the account, and its next holder sees and keeps nothing of it', async () => {
    const four = await mine.address();
    const six = await mine.address(6, 7);
    for (const { text } of [four, six]) await mine.name(text, 'secret.example.com');
    for (const { id } of [four, six]) await mine.release(id);
    expect(await mine.list()).toEqual([]);
    expect(outcomeOf(await mine.put(four.text, { hostname: 'again.example.com' }))).toBe('404 not_found');
    await runSchedules(app, 'names');
    expect(await atServer(four.text)).toEqual([defaultOf(four.text)]);
    expect(await atServer(six.text)).toEqual([]);
    expect(JSON.stringify(await rowsOf(four.text))).not.toContain('secret');
    // The same account gets the same address again, without its former name.
    const again = await mine.address();
    expect(again.text).toBe(four.text);
    expect(await mine.record(again.text)).toMatchObject({ hostname: defaultOf(again.text) });
  });

  it('loses its name also when the account is deleted', async () => {
    const { text } = await mine.address();
    await mine.name(text, 'gone.example.com');
    await app.services.db.deleteFrom('accounts').where('id', '=', mine.vps.account.id).execute();
    await runSchedules(app, 'names');
    expect(await atServer(text)).toEqual([defaultOf(text)]);
  });

  it('of another account is not found, by its id or literally, whatever the other account has named', async () => {
    const other = await NamingAccount.open(app);
    const { text } = await other.address();
    const { id } = await other.name(text, 'theirs.example.com');
    for (const name of [text, id])
      expect(outcomeOf(await mine.put(name, { hostname: 'mine.example.com' }))).toBe('404 not_found');
    expect(await mine.list('?hostname=theirs.example.com')).toEqual([]);
    expect(await atServer(text)).toEqual(['theirs.example.com']);
  });

  it('of a routed subnet has a record, but not the network and the broadcast address', async () => {
    const { db } = app.services;
    await db
      .insertInto('public_addresses')
      .values({
        id: `ip_${mine.vps.account.id.slice(4)}`,
        account_id: mine.vps.account.id,
        name: '198-51-100-8',
        pool: 'blocks',
        location: 'fra1',
        block: '198.51.100.8/29',
        kind: 'reserved',
      })
      .execute();
    expect((await mine.list()).map(({ address }) => address)).toEqual(
      [9, 10, 11, 12, 13, 14].map((last) => `198.51.100.${last}`),
    );
    expect(await mine.name('198.51.100.9', 'first.example.com')).toMatchObject({ sync_status: 'synced' });
    for (const address of ['198.51.100.8', '198.51.100.15', '198.51.100.16'])
      expect(outcomeOf(await mine.put(address, { hostname: 'no.example.com' }))).toBe('404 not_found');
    await db.deleteFrom('public_addresses').where('block', '=', '198.51.100.8/29').execute();
    expect(await mine.list()).toEqual([]);
  });

  it('has the same id in the database as in the API', async () => {
    const { text } = await mine.address();
    const record = await mine.record(text);
    expect((await mine.name(text, 'a.example.com')).id).toBe(record?.id);
    const { rows } = await sql<{ id: string }>`
      select reverse_record_id('203.0.113.20'::inet) as id`.execute(app.services.db);
    expect(rows[0]?.id).toBe('rdns_00000000000000007zzz5g0w8m');
  });
});

describe('a list', () => {
  it('is filtered by address, prefix, range, name and state, and has the addresses in their order', async () => {
    const [a, b] = [await mine.address(), await mine.address()];
    const six = await mine.address(6, 3);
    await mine.name(a.text, 'a.example.com');
    await mine.name(six.text, 'six.example.com');
    const found = async (query: string) => (await mine.list(query)).map(({ address }) => address);
    const all = await found('');
    expect(all).toEqual([...all].toSorted((x, y) => Number(x.includes(':')) - Number(y.includes(':'))));
    expect(new Set(all)).toEqual(new Set([a.text, b.text, six.text]));
    expect(await found(`?address=${six.text}`)).toEqual([six.text]);
    expect(await found(`?address_id=${six.id}`)).toEqual([six.text]);
    expect(await found('?cidr=::/0')).toEqual([six.text]);
    expect(await found(`?cidr=${a.text}/32`)).toEqual([a.text]);
    expect(await found('?hostname=A.example.COM.')).toEqual([a.text]);
    expect(await found(`?hostname=${defaultOf(b.text)}`)).toEqual([b.text]);
    expect(await found(`?hostname=${defaultOf(a.text)}`)).toEqual([]);
    expect(await found('?sync_status=pending')).toEqual([b.text]);
    expect(await found('?sort=-address&limit=1')).toEqual([six.text]);
  });

  it.each(['address=203.0.113', 'cidr=203.0.113.0%2F33'])('422: ?%s', async (query) => {
    const answer = await app.call({
      url: `/ip-management/v1/dns/reverse-records?${query}`,
      key: mine.vps.key,
    });
    expect(outcomeOf(answer)).toBe('422 validation_failed');
  });
});

describe('a declaration', () => {
  it('that changes nothing leaves the version, and one of another version is refused', async () => {
    const { text } = await mine.address();
    const { etag } = await mine.name(text, 'a.example.com');
    expect((await mine.name(text, 'a.example.com')).etag).toBe(etag);
    const match = { headers: { 'if-match': `"${etag}"` } };
    expect((await mine.put(text, { hostname: 'b.example.com' }, match)).statusCode).toBe(200);
    expect(outcomeOf(await mine.put(text, { hostname: 'c.example.com' }, match))).toBe('412 etag_mismatch');
    const only = { headers: { 'if-none-match': '*' } };
    expect(outcomeOf(await mine.put(text, { hostname: 'c.example.com' }, only))).toBe('412 etag_mismatch');
    const six = await mine.address(6);
    expect((await mine.put(six.text, { hostname: 'six.example.com' }, only)).statusCode).toBe(201);
    expect(await mine.events()).toEqual(Array(3).fill('reverse_record.updated'));
  });

  it('in a dry run says what would change, and neither stores nor tells it', async () => {
    const { text } = await mine.address();
    const answer = await mine.put(text, { hostname: 'dry.example.com' }, { query: '?dry_run=true' });
    expect(answer.statusCode).toBe(200);
    expect(JSON.stringify(answer.json().changes)).toContain('dry.example.com');
    expect(await mine.record(text)).toMatchObject({ is_default: true });
    expect(await atServer(text)).toEqual([]);
  });

  it('is refused with a pointer if the name is none, or the provider’s', async () => {
    const { text } = await mine.address();
    for (const [hostname, code] of [
      ['*.example.com', 'invalid_format'],
      ['www.demo.example', 'reserved_name'],
    ]) {
      const answer = await mine.put(text, { hostname });
      expect(outcomeOf(answer)).toBe('422 validation_failed');
      expect(answer.json().errors).toMatchObject([{ pointer: '/hostname', code }]);
    }
    expect(await mine.name(text, 'bücher.example')).toMatchObject({ hostname: 'xn--bcher-kva.example' });
  });

  it('409: of a 257th name in a /64', async () => {
    const { text } = await mine.address(6, 0);
    await sql`
      insert into reverse_records (id, account_id, address, location, hostname)
      select ${`${mine.vps.account.id}-`} || n, ${mine.vps.account.id}, ${text.replace(/::0$/, '::')}::inet + n, 'fra1', 'x.example.com'
      from generate_series(1, 256) n`.execute(app.services.db);
    const answer = await mine.put(text.replace(/::0$/, '::ffff'), { hostname: 'more.example.com' });
    expect(answer.json()).toMatchObject({
      code: 'quota_exceeded',
      limit_id: 'ip-management.reverse-records-per-prefix',
      used: 256,
    });
  });
});

describe('while the nameserver', () => {
  it('does not answer, names are stored as pending and come out later', async () => {
    const { text } = await mine.address();
    await addFault(app.services.db, { effect: { kind: 'unreachable' } });
    const answer = await mine.put(text, { hostname: 'late.example.com' });
    expect([answer.statusCode, answer.json().sync_status, warningsOf(answer)]).toEqual([
      200,
      'pending',
      ['dns_delayed'],
    ]);
    await runSchedules(app, 'names');
    expect(await mine.record(text)).toMatchObject({ sync_status: 'pending' });
    await clearFaults(app.services.db);
    await makeDue(app);
    await runSchedules(app, 'names');
    expect(await mine.record(text)).toMatchObject({ sync_status: 'synced', hostname: 'late.example.com' });
    expect(await atServer(text)).toEqual(['late.example.com']);
  });

  it('refuses a name, the record is failed with the reason and an event, and is tried again', async () => {
    const { text } = await mine.address();
    await runSchedules(app, 'names');
    const detail = 'The nameserver has no zone for it.';
    const effect = { kind: 'fail', code: 'not_found', detail } as const;
    await addFault(app.services.db, { call: 'ensurePtr', effect });
    const answer = await mine.put(text, { hostname: 'refused.example.com' });
    expect([answer.statusCode, warningsOf(answer)]).toEqual([200, ['dns_refused']]);
    expect(answer.json()).toMatchObject({ sync_status: 'failed', sync_error: detail });
    await makeDue(app);
    await runSchedules(app, 'names');
    expect(await mine.events()).toEqual(['reverse_record.updated', 'reverse_record.failed']);
    await clearFaults(app.services.db);
    await makeDue(app);
    await runSchedules(app, 'names');
    expect(await mine.record(text)).toMatchObject({ sync_status: 'synced', sync_error: null });
  });

  it('is being told by somebody else, a call stores its name and leaves it to the schedule', async () => {
    const { text } = await mine.address();
    const { id = '' } = (await mine.record(text)) ?? {};
    await claimSubject(app.services.db, id, 60);
    const answer = await mine.put(text, { hostname: 'busy.example.com' });
    expect([answer.statusCode, answer.json().sync_status]).toEqual([200, 'pending']);
    await runSchedules(app, 'names');
    expect(await atServer(text)).toEqual([]);
    await app.services.db.deleteFrom('claims').where('subject', '=', id).execute();
    await runSchedules(app, 'names');
    expect(await atServer(text)).toEqual(['busy.example.com']);
  });

  it('waits for somebody else, an address that is released meanwhile gets no name', async () => {
    const { id, text } = await mine.address(6, 5);
    const record = recordIdOf(parseAddress(text)!);
    const claim = await claimSubject(app.services.db, record, 60);
    const asked = mine.put(text, { hostname: 'ghost.example.com' });
    await mine.release(id);
    await releaseSubject(app.services.db, claim!);
    expect(outcomeOf(await asked)).toBe('404 not_found');
    expect([await atServer(text), await rowsOf(text)]).toEqual([[], []]);
  });

  it('has another name than wanted, it gets the right one; names of addresses that nobody held stay', async () => {
    const [four, six] = [await mine.address(), await mine.address(6, 9)];
    await mine.name(four.text, 'four.example.com');
    await mine.name(six.text, 'six.example.com');
    const stranger = six.text.replace(/9$/, 'a');
    const pool = app.services.provider.catalogue.address_pools.find(
      ({ location, cidr }) => location === 'fra1' && !cidr.includes(':'),
    );
    const gateway = (pool?.cidr ?? '').replace(/0\/\d+$/, '1');
    const write = (address: string, ...hostnames: string[]) =>
      engine().write(address, { hostnames, ttlSeconds: 3600 });
    await write(four.text, 'four.example.com', 'added.example.com');
    await engine().removePtr(six.text);
    await write(stranger, 'stranger.example.com');
    await write(gateway, 'gateway.provider.example');
    await runSchedules(app, 'name-drift');
    expect(await mine.record(four.text)).toMatchObject({ sync_status: 'pending' });
    await runSchedules(app, 'names');
    expect(await atServer(four.text)).toEqual(['four.example.com']);
    expect(await atServer(six.text)).toEqual(['six.example.com']);
    expect(await atServer(stranger)).toEqual([]);
    expect(await atServer(gateway)).toEqual(['gateway.provider.example']);
    expect(await rowsOf(stranger)).toEqual([]);
  });
});

it('409: in a location without a nameserver, whose addresses are not listed', async () => {
  const bare = await createTestApp({
    provider: (config) => ({
      ...config,
      catalogue: {
        ...config.catalogue,
        locations: config.catalogue.locations.map((location) =>
          location.slug === 'fra1'
            ? { ...location, reverse_dns: null, compute: { ...location.compute, driver: 'incus' } as never }
            : location,
        ),
      },
    }),
  });
  const account = await NamingAccount.open(bare);
  const { text } = await account.address();
  expect(await account.list()).toEqual([]);
  expect((await account.put(text, { hostname: 'a.example.com' })).json()).toMatchObject({
    status: 409,
    code: 'capability_missing',
    capability: 'reverse_dns',
  });
  await bare.close();
});
