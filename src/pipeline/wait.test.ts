import { request } from 'node:http';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endOperation } from '../kernel/operations/operations.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { happen } from '../testing/events.ts';

let t: TestApp;
/** Runs without a worker: an operation ends only when a test ends it. */
let idle: TestApp;

beforeAll(async () => {
  t = await createTestApp({ works: true });
  idle = await createTestApp();
});
afterAll(async () => {
  await t.close();
  await idle.close();
});

interface Visitor {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly key: TestKey;
  get(url: string, prefer?: string): Promise<LightMyRequestResponse>;
  send(
    method: 'POST' | 'DELETE',
    url: string,
    payload?: object,
    headers?: object,
  ): Promise<LightMyRequestResponse>;
}

async function newVisitor(app: TestApp): Promise<Visitor> {
  const account = await createAccount(app.services.db);
  const key = await createKey(app.services.db, account);
  const prefer = (wait?: string) => (wait === undefined ? {} : { headers: { prefer: wait } });
  return {
    app,
    account,
    key,
    get: (url, wait) => app.call({ url, key: key.key, ...prefer(wait) }),
    send: (method, url, payload, headers = {}) =>
      app.call({ method, url, key: key.key, headers: { ...headers }, ...(payload ? { payload } : {}) }),
  };
}

/** Resolves when this many calls are waiting. */
const held = (app: TestApp, count = 1) =>
  vi.waitFor(() => expect(app.services.waiters.size).toBe(count), 5_000);

async function operationIn({ app, account }: Visitor): Promise<string> {
  return vi.waitFor(async () => {
    const row = await app.services.db
      .selectFrom('operations')
      .select('id')
      .where('account_id', '=', account.id)
      .where('finished_at', 'is', null)
      .executeTakeFirstOrThrow();
    return row.id;
  });
}

const end = (app: TestApp, id: string, ending: Parameters<typeof endOperation>[3]) =>
  app.services.db.transaction().execute((tx) => endOperation(tx, app.registry, id, ending));

const SUCCEEDED = { status: 'succeeded', error: null, result: { changed: true } } as const;

describe('a call that starts an operation, with Prefer: wait=N', () => {
  it('200: answers with the resource as it is after the end', async () => {
    const { send } = await newVisitor(t);
    const response = await send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=30' });
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([200, 'wait=30']);
    expect(response.json()).toMatchObject({
      name: 'one',
      status: 'running',
      operation: { status: 'succeeded' },
    });
    expect(response.headers['etag']).toBe(`"${response.json().etag}"`);
  });

  it('200: works as a query parameter, which does not change the Idempotency-Key', async () => {
    const { send } = await newVisitor(t);
    const key = { 'idempotency-key': 'once' };
    const response = await send('POST', '/workshop/v1/machines?wait=30', { name: 'one' }, key);
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([200, 'wait=30']);
    const repeat = await send('POST', '/workshop/v1/machines', { name: 'one' }, key);
    expect([repeat.headers['idempotent-replayed'], repeat.json().id]).toEqual(['true', response.json().id]);
  });

  it('200: a deleted resource is shown as deleted', async () => {
    const { send, get } = await newVisitor(t);
    const { id } = (
      await send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=30' })
    ).json();
    const response = await send('DELETE', `/workshop/v1/machines/${id}`, undefined, { prefer: 'wait=30' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id, status: 'deleted', operation: { status: 'succeeded' } });
    expect((await get(`/workshop/v1/machines/${id}`)).statusCode).toBe(404);
  });

  it('200: a call that answers with an operation shows it ended', async () => {
    const { send } = await newVisitor(t);
    const { id } = (
      await send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=30' })
    ).json();
    const url = `/workshop/v1/machines/${id}/actions`;
    const response = await send('POST', url, { action: 'restart' }, { prefer: 'wait=30' });
    expect([response.statusCode, response.json().status]).toEqual([200, 'succeeded']);
  });

  it('200: shows the failure if the operation failed', async () => {
    const visitor = await newVisitor(idle);
    const calling = visitor.send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=60' });
    await held(idle);
    const error = { code: 'engine_failed', detail: 'No.', retryable: false } as const;
    await end(idle, await operationIn(visitor), { status: 'failed', error, result: null });
    const response = await calling;
    expect([response.statusCode, response.json().operation]).toMatchObject([
      200,
      { status: 'failed', error },
    ]);
  });

  it('202: returns the first answer if the time is over before the end', async () => {
    const { send } = await newVisitor(idle);
    const response = await send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=1' });
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([202, 'wait=1']);
    expect(response.json()).toMatchObject({ status: 'creating', operation: { status: 'queued' } });
    expect(response.headers['operation-location']).toContain(response.json().operation.id);
  });

  it('a repeat with the same Idempotency-Key waits as well', async () => {
    const visitor = await newVisitor(idle);
    const send = (headers: object) =>
      visitor.send('POST', '/workshop/v1/machines', { name: 'one' }, { 'idempotency-key': 'k', ...headers });
    const first = await send({});
    const repeat = send({ prefer: 'wait=60' });
    await held(idle);
    await end(idle, first.json().operation.id, SUCCEEDED);
    const response = await repeat;
    expect([response.statusCode, response.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(response.json().operation.status).toBe('succeeded');
    const again = await send({});
    expect([again.statusCode, again.body]).toEqual([202, first.body]);
  });

  it('202 immediately if the caller loses the right to wait: the change is made', async () => {
    const visitor = await newVisitor(idle);
    const calling = visitor.send('POST', '/workshop/v1/machines', { name: 'one' }, { prefer: 'wait=60' });
    await held(idle);
    await revoke(visitor);
    expect((await calling).statusCode).toBe(202);
  });

  it('is ignored by dry runs and by calls without an operation', async () => {
    const { send, get } = await newVisitor(idle);
    const url = '/workshop/v1/machines?dry_run=true';
    expect((await send('POST', url, { name: 'one' }, { prefer: 'wait=60' })).json().dry_run).toBe(true);
    const response = await get('/account/v1/profile', 'wait=9999');
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([200, undefined]);
  });
});

const revoke = ({ app, key }: Visitor) =>
  app.services.db.updateTable('api_keys').set({ status: 'revoked' }).where('id', '=', key.id).execute();

describe('a read that waits', () => {
  it('422: refuses a wait that is too long, invalid or given twice', async () => {
    const { get } = await newVisitor(t);
    const faults = async (query: string, prefer?: string) =>
      ((await get(`/account/v1/events${query}`, prefer)).json().errors ?? []).map(
        ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
      );
    expect(await faults('', 'wait=61')).toEqual(['header/Prefer out_of_range']);
    expect(await faults('', 'wait=x')).toEqual(['header/Prefer invalid_format']);
    expect(await faults('?wait=0')).toEqual(['query/wait out_of_range']);
    expect(await faults('?wait=2', 'wait=3')).toEqual(['query/wait incompatible']);
    expect(await faults('?wait=1', 'wait=1, x=y')).toEqual([]);
  });

  it('of an operation answers when it has ended', async () => {
    const visitor = await newVisitor(idle);
    const { operation } = (await visitor.send('POST', '/workshop/v1/machines', { name: 'one' })).json();
    const reading = [
      visitor.get(`/account/v1/operations/${operation.id}?wait=60`),
      visitor.get(`/account/v1/operations/${operation.id}`, 'wait=60'),
    ];
    await held(idle, 2);
    await end(idle, operation.id, SUCCEEDED);
    for (const response of await Promise.all(reading)) expect(response.json().status).toBe('succeeded');
  });

  it('of the feed answers with the first visible event', async () => {
    const { account, get } = await newVisitor(t);
    const reading = get('/account/v1/events?types=api_key.*&wait=60');
    await held(t);
    await happen(t, account.id, { type: 'member.joined' });
    await happen(t, account.id, { type: 'api_key.created' });
    const response = await reading;
    expect(response.json().data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([2]);
    expect(response.headers['preference-applied']).toBe('wait=60');
    const { next_cursor: cursor } = response.json();
    const empty = await get(`/account/v1/events?cursor=${cursor}&wait=1`);
    expect([empty.json().data, empty.json().next_cursor]).toEqual([[], cursor]);
  });

  it('holds no database connection meanwhile', async () => {
    const { account, get } = await newVisitor(t);
    const readings = Array.from({ length: 50 }, () => get('/account/v1/events?wait=60'));
    await held(t, 50);
    await happen(t, account.id, {});
    for (const response of await Promise.all(readings)) expect(response.json().data).toHaveLength(1);
  });

  const losses: Record<string, (visitor: Visitor) => Promise<unknown>> = {
    '401 api_key_revoked': revoke,
    '403 ip_not_allowed': ({ app, account }) =>
      app.services.db
        .insertInto('ip_allowlists')
        .values({ account_id: account.id, mode: 'enforce' })
        .execute(),
    '403 permission_denied': ({ app, account }) =>
      app.services.db
        .updateTable('members')
        .set({ role: 'billing' })
        .where('id', '=', account.ownerId)
        .execute(),
  };

  it.each(Object.entries(losses))('%s: answers as soon as the right is lost', async (expected, lose) => {
    const visitor = await newVisitor(t);
    const reading = visitor.get('/account/v1/events?wait=60');
    await held(t);
    await lose(visitor);
    const response = await reading;
    expect(`${response.statusCode} ${response.json().code}`).toBe(expected);
    expect(t.services.waiters.size).toBe(0);
  });

  it('goes on when something else about the account changes', async () => {
    const { account, get } = await newVisitor(t);
    const reading = get('/account/v1/events?wait=60');
    await held(t);
    await createKey(t.services.db, account);
    await happen(t, account.id, {});
    expect((await reading).statusCode).toBe(200);
  });

  it('401: ends when the key expires', async () => {
    const visitor = await newVisitor(t);
    const { key } = await createKey(t.services.db, visitor.account, {
      expires_at: new Date(Date.now() + 1_500),
    });
    const response = await t.call({ url: '/account/v1/events?wait=2', key });
    expect(response.json().code).toBe('api_key_expired');
  });

  it('misses nothing while the listener reconnects', async () => {
    const { account, get } = await newVisitor(t);
    for (let round = 1; round <= 3; round++) {
      const { next_cursor: cursor } = (await get('/account/v1/events')).json();
      const reading = get(`/account/v1/events?cursor=${cursor}&wait=60`);
      await held(t);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '%listen'`.execute(t.services.db);
      await happen(t, account.id, {});
      expect((await reading).json().data).toMatchObject([{ sequence: round }]);
    }
  });

  it('stops when its client leaves', async () => {
    const { key } = await newVisitor(t);
    await t.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.app.server.address() as { port: number };
    const headers = { 'x-api-key': key.key };
    const calling = request({ port, host: '127.0.0.1', path: '/account/v1/events?wait=60', headers });
    calling.on('error', () => undefined).end();
    await held(t);
    calling.destroy();
    await held(t, 0);
    expect(t.logged.filter((line) => line.includes('internal_error'))).toEqual([]);
  });
});

it('a server that stops answers waiting requests', async () => {
  const leaving = await createTestApp();
  const { get } = await newVisitor(leaving);
  const reading = get('/account/v1/events?wait=60');
  await held(leaving);
  leaving.running.drain();
  expect((await reading).json().data).toEqual([]);
  await leaving.close();
});
