import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import { endOperation, startOperation } from '../../../kernel/operations/operations.ts';
import {
  insertOperation,
  type NewOperation,
  type StoredOperation,
} from '../../../kernel/operations/store.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { createMachineKind } from '../../../testing/machines.ts';
import { operationOf } from '../../../testing/operations.ts';

let t: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  t = await createTestApp({ works: false });
});
afterAll(() => t.close());

beforeEach(async () => {
  account = await createAccount(t.services.db);
  key = await createKey(t.services.db, account);
});

/** Inserts an operation that another key started and that no worker claims. */
function insert(values: Partial<Omit<NewOperation, 'deadline_at'>> = {}): Promise<StoredOperation> {
  return insertOperation(
    t.services.db,
    {
      id: newId('operation'),
      account_id: account.id,
      type: 'widget.polish',
      family: 'workshop',
      status: 'queued',
      resource_type: 'widget',
      resource_id: newId('request').replace('req', 'wid'),
      actor: { kind: 'api_key', api_key_id: newId('api_key'), member_id: account.ownerId },
      api_key_id: newId('api_key'),
      permission: 'workshop:widgets:write',
      cancellable: true,
      queue: 'free',
      input: '{}',
      is_ready: false,
      ...values,
    },
    { deadlineSeconds: 3600, subjects: [], now: null },
  );
}

const get = async (path: string, by = key) => t.call({ url: `/account/v1/operations${path}`, key: by.key });
const cancel = async (id: string, more: { by?: TestKey; payload?: object; query?: string } = {}) =>
  t.call({
    method: 'POST',
    url: `/account/v1/operations/${id}/cancel${more.query ?? ''}`,
    key: (more.by ?? key).key,
    payload: more.payload ?? {},
  });
const idsOf = async (query: string, by = key): Promise<string[]> =>
  (await get(query, by)).json().data.map((row: { id: string }) => row.id);
const end = (id: string, status: 'succeeded' | 'failed') =>
  t.services.db.transaction().execute((tx) =>
    endOperation(tx, t.registry, id, {
      status,
      error: null,
      result: { changed: true, seen: 'by all' },
    }),
  );

describe('listOperations', () => {
  it('200: filters by every property of an operation', async () => {
    const parent = await insert({ type: 'widget.paint' });
    const child = await insert({ parent_id: parent.id, api_key_id: key.id });
    await end(parent.id, 'succeeded');
    expect(await idsOf('')).toEqual([child.id, parent.id]);
    expect(await idsOf('?sort=created_at&limit=1')).toEqual([parent.id]);
    expect(await idsOf(`?ids=${parent.id},${newId('operation')}`)).toEqual([parent.id]);
    expect(await idsOf('?type=widget.paint')).toEqual([parent.id]);
    expect(await idsOf('?status=queued')).toEqual([child.id]);
    expect(await idsOf(`?resource_id=${child.resource_id}`)).toEqual([child.id]);
    expect(await idsOf(`?api_key_id=${key.id}`)).toEqual([child.id]);
    expect(await idsOf(`?parent_id=${parent.id}`)).toEqual([child.id]);
    expect(await idsOf('?family=storage')).toEqual([]);
    const [row] = (await get(`?ids=${parent.id}`)).json().data;
    expect(row).toMatchObject({
      status: 'succeeded',
      children: { total: 1, succeeded: 0, failed: 0, pending: 1 },
      result: { changed: true, seen: 'by all' },
      href: `https://api.example.test/account/v1/operations/${parent.id}`,
    });
  });

  it('422: more than 50 ids', async () => {
    const ids = Array.from({ length: 51 }, () => newId('operation')).join(',');
    expect((await get(`?ids=${ids}`)).statusCode).toBe(422);
  });

  it('200: shows operations that the key may read or has started, and names the types that are left out', async () => {
    const narrow = await createKey(t.services.db, account, { permissions: ['workshop:machines:read'] });
    await insert();
    const own = await insert({ api_key_id: narrow.id });
    const machine = await insert({ resource_type: 'machine', type: 'machine.create' });
    const answer = (await get('', narrow)).json();
    expect(answer.data.map((row: { id: string }) => row.id)).toEqual([machine.id, own.id]);
    expect(answer.omitted).toContainEqual({
      family: 'workshop',
      resource_type: 'widget',
      missing_permission: 'workshop:widgets:read',
    });
    expect(JSON.stringify(answer.omitted)).not.toContain('"machine"');
    expect((await get('?type=machine.create', narrow)).json().omitted).toEqual([]);
    expect((await get('')).json().omitted).toEqual([]);
  });
});

describe('getOperation', () => {
  it('404: an operation that the key may not read', async () => {
    const narrow = await createKey(t.services.db, account, { permissions: ['account:profile:read'] });
    const other = await insert();
    const own = await insert({ api_key_id: narrow.id });
    expect((await get(`/${other.id}`, narrow)).statusCode).toBe(404);
    expect((await get(`/${other.id}?wait=30`, narrow)).statusCode).toBe(404);
    expect((await get(`/${own.id}`, narrow)).json()).toMatchObject({ id: own.id, status: 'queued' });
  });

  it('200: with wait, answers when the operation has ended', async () => {
    const { id } = await insert();
    const waiting = [get(`/${id}?wait=60`), get(`/${id}?wait=60`)];
    while (t.services.waiters.size < 2) await new Promise(setImmediate);
    await end(id, 'failed');
    for (const answer of await Promise.all(waiting)) expect(answer.json().status).toBe('failed');
  });

  it('writes it as text for people if asked, with the status in a header', async () => {
    const { id } = await insert();
    const headers = { accept: 'text/plain' };
    const queued = await t.call({ url: `/account/v1/operations/${id}`, key: key.key, headers });
    expect(queued.headers).toMatchObject({
      'operation-status': 'queued',
      'content-type': 'text/plain; charset=utf-8',
    });
    await end(id, 'failed');
    const failed = await t.call({ url: `/account/v1/operations/${id}`, key: key.key, headers });
    expect([failed.statusCode, failed.headers['operation-status']]).toEqual([200, 'failed']);
    expect(failed.body).toContain(`has failed`);
    expect(failed.body).not.toContain('{');
  });

  it('200: with wait, answers immediately if the operation has already ended', async () => {
    const { id } = await insert();
    await end(id, 'succeeded');
    expect((await get(`/${id}?wait=60`)).json().status).toBe('succeeded');
  });
});

describe('cancelOperation', () => {
  const lastEvent = async (id: string) => {
    const rows = await t.services.db
      .selectFrom('events')
      .select('type')
      .where('operation_id', '=', id)
      .execute();
    return rows.at(-1)?.type;
  };

  it('202: a queued operation ends immediately; 200 when cancelled again', async () => {
    const { id } = await insert();
    const first = await cancel(id, { payload: { reason: 'The wrong one.' } });
    expect(first.statusCode).toBe(202);
    expect(first.json()).toMatchObject({ id, status: 'cancelled', cancellable: false });
    expect(first.headers['operation-location']).toBe(`https://api.example.test/account/v1/operations/${id}`);
    expect(await lastEvent(id)).toBe('operation.cancelled');
    const again = await cancel(id);
    expect([again.statusCode, again.json().status]).toEqual([200, 'cancelled']);
    const [entry] = (
      await t.call({ url: '/account/v1/audit-log?action=cancelOperation&sort=occurred_at', key: key.key })
    ).json().data;
    expect(entry).toMatchObject({
      operation_id: id,
      resource: { type: 'operation', id, name: 'widget.polish' },
      changes: [
        { pointer: '/status', before: 'queued', after: 'cancelled' },
        { pointer: '/reason', before: null, after: 'The wrong one.' },
      ],
    });
  });

  it('202: the resource of the cancelled operation gets its final status', async () => {
    const made = await t.call({
      method: 'POST',
      url: '/workshop/v1/machines',
      key: key.key,
      payload: { name: 'm' },
    });
    const { id, operation } = made.json();
    expect((await cancel(operation.id)).statusCode).toBe(202);
    expect(await operationOf(t, operation.id)).toMatchObject({ status: 'cancelled' });
    const machine = await t.call({ url: `/workshop/v1/machines/${id}`, key: key.key });
    expect(machine.statusCode).toBe(404);
  });

  it('202: a running operation is asked to stop', async () => {
    const { id } = await insert({ status: 'running', attempt: 1 });
    const answer = await cancel(id);
    expect([answer.statusCode, answer.json().status]).toEqual([202, 'cancelling']);
    expect(await operationOf(t, id)).toMatchObject({ cancel_requested: true, finished_at: null });
    const again = await cancel(id);
    expect([again.statusCode, again.json().status]).toEqual([202, 'cancelling']);
  });

  it('202: an operation that a worker claims at the same moment is asked to stop, and not ended', async () => {
    const { db } = t.services;
    const started = await db.transaction().execute((tx) =>
      startOperation(
        tx,
        t.registry,
        {
          kind: createMachineKind,
          input: {},
          resource: { type: 'machine', id: newId('request').replace('req', 'mac'), name: 'busy' },
        },
        { accountId: account.id, permission: 'workshop:machines:write' },
      ),
    );
    const claimed = db.transaction().execute(async (tx) => {
      await sql`update operations set attempt = 1, status = 'running', lease_owner = 'w', started_at = now()
        where id = ${started.id}`.execute(tx);
      const cancelling = cancel(started.id);
      for (;;) {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        if (rows.length > 0) return { cancelling };
      }
    });
    const answer = await (await claimed).cancelling;
    expect([answer.statusCode, answer.json().status]).toEqual([202, 'cancelling']);
    expect(await operationOf(t, started.id)).toMatchObject({ finished_at: null, lease_owner: 'w' });
    expect(await lastEvent(started.id)).toBeUndefined();
  });

  it('409: an operation that has ended or can no longer be cancelled', async () => {
    const past = await insert({ status: 'running', attempt: 1, cancellable: false });
    const done = await insert();
    await end(done.id, 'succeeded');
    for (const [id, status] of [
      [past.id, 'running'],
      [done.id, 'succeeded'],
    ] as const) {
      const answer = await cancel(id);
      expect(answer.json()).toMatchObject({ code: 'not_cancellable', status: 409, operation_status: status });
    }
  });

  it('403: names the permission that the operation was started with', async () => {
    const { id } = await insert();
    const permissions = ['account:operations:write', 'workshop:widgets:read'];
    const reader = await createKey(t.services.db, account, { permissions });
    const refused = await cancel(id, { by: reader });
    expect(refused.json()).toMatchObject({
      code: 'permission_denied',
      required_permission: 'workshop:widgets:write',
      denied_by: ['key'],
    });
    expect(refused.headers['x-required-permission']).toBe('workshop:widgets:write');
    const writer = await createKey(t.services.db, account, {
      permissions: [...permissions, 'workshop:widgets:write'],
    });
    expect((await cancel(id, { by: writer })).statusCode).toBe(202);
    const own = await insert({ api_key_id: reader.id });
    expect((await cancel(own.id, { by: reader })).statusCode).toBe(202);
  });

  it('202: needs only the permission that started the operation; 404 without it and without read permission', async () => {
    const { id } = await insert();
    const permissions = ['account:operations:write', 'workshop:widgets:write'];
    const writer = await createKey(t.services.db, account, { permissions });
    const stranger = await createKey(t.services.db, account, { permissions: permissions.slice(0, 1) });
    expect((await cancel(id, { by: stranger })).statusCode).toBe(404);
    expect((await cancel(id, { by: writer })).statusCode).toBe(202);
    const narrow = await createKey(t.services.db, account, { permissions: permissions.slice(1) });
    expect((await cancel((await insert()).id, { by: narrow })).json()).toMatchObject({
      code: 'permission_denied',
      required_permission: 'account:operations:write',
    });
  });

  it('409: an operation that was not started by a call cannot be cancelled', async () => {
    const { id } = await insert({ api_key_id: null, permission: null });
    expect((await cancel(id)).json()).toMatchObject({ code: 'not_cancellable', operation_status: 'queued' });
  });

  it('202: works while the account is suspended', async () => {
    const { id } = await insert();
    await t.services.db
      .updateTable('accounts')
      .set({ status: 'suspended' })
      .where('id', '=', account.id)
      .execute();
    expect((await cancel(id)).statusCode).toBe(202);
  });

  it('200: a dry run cancels nothing', async () => {
    const { id } = await insert();
    const answer = await cancel(id, { query: '?dry_run=true' });
    expect(answer.json().effects).toEqual([
      {
        action: 'cancel',
        type: 'operation',
        id,
        name: 'widget.polish',
        loss: { what: 'The work that the operation has done so far.', recoverable: true },
      },
    ]);
    expect((await operationOf(t, id)).status).toBe('queued');
  });
});

describe('listResources', () => {
  it('200: shows the current operation of a resource', async () => {
    const payload = { name: 'm' };
    const made = await t.call({ method: 'POST', url: '/workshop/v1/machines', key: key.key, payload });
    const { id, operation } = made.json();
    const shown = async () =>
      (await t.call({ url: `/account/v1/resources?ids=${id}`, key: key.key })).json().data[0].operation;
    expect(await shown()).toEqual({ id: operation.id, type: 'machine.create', status: 'queued' });
    await end(operation.id, 'succeeded');
    expect(await shown()).toBeNull();
  });
});
