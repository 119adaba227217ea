import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../laws/responses.ts';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { settle } from '../../testing/operations.ts';
import { SignedIn } from '../../testing/signed-in.ts';

let t: TestApp;
let account: TestAccount;
let owner: SignedIn;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  account = await createAccount(t.services.db);
  owner = await SignedIn.open(t, account.id, 'owner');
});
afterAll(() => t.close());

let serial = 0;
const widget = () => ({ name: `widget-${++serial}`, size: 1 });
const create = (by: SignedIn, payload = widget(), headers = {}, query = '') =>
  by.call({ method: 'POST', url: `/workshop/v1/widgets${query}`, payload, headers });
const lastEntry = async () => (await owner.call({ url: '/account/v1/audit-log?limit=1' })).json().data[0];

describe('a call of a member', () => {
  it('gets the same answer as in the API, with the member as its actor', async () => {
    const made = await create(owner);
    expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store']);
    const url = `/workshop/v1/widgets/${made.json().id}`;
    const { key } = await createKey(t.services.db, account);
    expect((await owner.call({ url })).body).toBe((await t.call({ url, key })).body);
    const actor = { kind: 'member', api_key_id: null, member_id: owner.memberId };
    expect(await lastEntry()).toMatchObject({
      action: 'createWidget',
      source: 'portal',
      actor: { ...actor, name: expect.any(String) },
      client_ip: owner.address,
      outcome: 'succeeded',
    });
    const events = (await owner.call({ url: '/account/v1/events?types=widget.created' })).json();
    expect(events.data.at(-1)).toMatchObject({ type: 'widget.created', actor });
  });

  it('accepts Idempotency-Key, If-Match and dry runs like the API', async () => {
    const body = widget();
    const dry = await create(owner, body, {}, '?dry_run=true');
    expect([dry.statusCode, dry.headers['content-type']]).toEqual([200, expect.stringContaining('dry-run')]);
    const once = await create(owner, body, { 'idempotency-key': 'one' });
    const again = await create(owner, body, { 'idempotency-key': 'one' });
    expect([again.statusCode, again.headers['idempotent-replayed'], again.json().id]).toEqual([
      201,
      'true',
      once.json().id,
    ]);
    const url = `/workshop/v1/widgets/${once.json().id}`;
    const stale = await owner.call({ method: 'DELETE', url, headers: { 'if-match': '"x"' } });
    expect(outcomeOf(stale)).toBe('412 etag_mismatch');
  });

  it('with the role billing reads cost, budgets and prices and nothing else, and no key of the member does', async () => {
    const home = await createAccount(t.services.db);
    const payer = await SignedIn.open(t, home.id, 'billing');
    for (const path of ['usage', 'budgets', 'pricing/catalogue'])
      expect([path, (await payer.call({ url: `/account/v1/${path}` })).statusCode]).toEqual([path, 200]);
    for (const url of ['/workshop/v1/widgets', '/account/v1/audit-log'])
      expect(outcomeOf(await payer.call({ url }))).toBe('403 permission_denied');
    const { key } = await createKey(t.services.db, home, { owner_id: payer.memberId });
    expect(outcomeOf(await t.call({ url: '/account/v1/usage', key }))).toBe('403 permission_denied');
  });

  it('needs no approval and no allowlist, but obeys budgets', async () => {
    const { db } = t.services;
    const other = await createAccount(db, { key_default_approval: 'writes' });
    await db.insertInto('ip_allowlists').values({ account_id: other.id, mode: 'enforce' }).execute();
    const person = await SignedIn.open(t, other.id, 'owner');
    expect((await create(person)).statusCode).toBe(201);
    const budget = {
      amount: '0.01',
      action: 'block_new_cost',
      blocks: 'forecast',
      thresholds: [{ percent: 100 }],
    };
    const set = await person.call({ method: 'PUT', url: '/account/v1/budgets/cap', payload: budget });
    expect([set.statusCode, set.body]).toEqual([201, expect.any(String)]);
    expect(outcomeOf(await create(person, { ...widget(), size: 9 }))).toBe('409 budget_exceeded');
  });

  it('that the role forbids is in the audit log, and not in the denials of keys', async () => {
    const viewer = await SignedIn.open(t, account.id, 'viewer');
    const refused = await create(viewer);
    expect(outcomeOf(refused)).toBe('403 permission_denied');
    await t.services.audit.flush();
    await t.services.denials.flush();
    expect(await lastEntry()).toMatchObject({
      outcome: 'rejected',
      problem_code: 'permission_denied',
      source: 'portal',
      actor: { member_id: viewer.memberId },
    });
    expect((await owner.call({ url: '/account/v1/key-denials' })).json().data).toEqual([]);
  });

  it('shows operations that the member or a key of the member started, and can cancel them', async () => {
    const { db } = t.services;
    const payload = { name: 'machine-1' };
    const machines = { method: 'POST', url: '/workshop/v1/machines', payload } as const;
    const starter = await SignedIn.open(t, account.id, 'admin');
    const started = (await starter.call(machines)).json();
    const { operation } = started;
    const { key } = await createKey(db, account, { owner_id: starter.memberId });
    const byKey = (await t.call({ ...machines, payload: { name: 'machine-2' }, key })).json().operation;
    expect(operation.actor).toEqual({ kind: 'member', api_key_id: null, member_id: starter.memberId });
    // Operators may cancel operations, but have no right to the test family.
    await db.updateTable('members').set({ role: 'operator' }).where('id', '=', starter.memberId).execute();
    const read = { url: `/account/v1/operations/${operation.id}` };
    expect((await starter.call(read)).json().id).toBe(operation.id);
    const list = (await starter.call({ url: '/account/v1/operations' })).json();
    const listed = list.data.map(({ id }: { id: string }) => id).sort();
    expect(listed).toEqual([operation.id, byKey.id].sort());
    const events = { url: '/account/v1/events?types=operation.*' };
    const stranger = await SignedIn.open(t, account.id, 'operator');
    const cancel = { method: 'POST', url: `${read.url}/cancel`, payload: {} };
    for (const call of [read, cancel]) expect(outcomeOf(await stranger.call(call))).toBe('404 not_found');
    expect(outcomeOf(await starter.call(cancel))).toMatch(/^20/);
    await settle(t);
    const seen = (await starter.call(events)).json().data;
    expect(new Set(seen.map((event: { operation_id: string }) => event.operation_id))).toEqual(
      new Set([operation.id, byKey.id]),
    );
    expect((await stranger.call(events)).json().data).toEqual([]);
  });

  it('whoami shows the member, and my-apis what the member may call', async () => {
    const viewer = await SignedIn.open(t, account.id, 'viewer');
    expect((await viewer.call({ url: '/account/v1/whoami' })).json()).toMatchObject({
      account: { id: account.id },
      key: null,
      owner: { member_id: viewer.memberId, role: 'viewer' },
      rate_limit: { limit: 600, remaining: 599 },
    });
    const apis = (await viewer.call({ url: '/account/v1/my-apis' })).json().data;
    const named = (id: string) =>
      apis.find(({ operation_id }: { operation_id: string }) => operation_id === id);
    expect(named('listWidgets')).toMatchObject({ allowed: true, denied_by: [] });
    expect(named('createWidget')).toMatchObject({ allowed: false, denied_by: ['role'] });
    expect(outcomeOf(await viewer.call({ url: '/account/v1/api-keys/self' }))).toBe('404 not_found');
  });

  it('a webhook that a member declares sees what the role of the member sees', async () => {
    const url = 'https://example.com/hook';
    const payload = { url, event_types: ['*'] };
    const hook = await owner.call({ method: 'PUT', url: '/account/v1/webhooks/mine', payload });
    expect(hook.statusCode).toBe(201);
    const row = await t.services.db
      .selectFrom('webhooks')
      .select(['owner_id', 'visible_permissions'])
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ owner_id: owner.memberId, visible_permissions: ['*:*:*'] });
  });
});

describe('sessions and API keys', () => {
  const whoami = '/account/v1/whoami';

  it('401 without a session, with a wrong one, and after its end', async () => {
    const person = await SignedIn.open(t, account.id, 'owner');
    const ask = (cookie?: string) => person.call({ url: whoami, headers: { cookie } });
    expect(outcomeOf(await ask())).toBe('401 not_signed_in');
    expect(outcomeOf(await ask('hp_session=x'))).toBe('401 not_signed_in');
    expect((await person.call({ url: whoami })).statusCode).toBe(200);
    await t.services.db.deleteFrom('sessions').where('id', '=', person.sessionId).execute();
    expect(outcomeOf(await person.call({ url: whoami }))).toBe('401 not_signed_in');
  });

  it('403 with an API key, beside the session or without one', async () => {
    const { key } = await createKey(t.services.db, account);
    for (const cookie of [owner.headers['cookie'], undefined])
      expect(outcomeOf(await owner.call({ url: whoami, headers: { cookie, 'x-api-key': key } }))).toBe(
        '403 key_not_accepted',
      );
  });

  it('403 for a change from another origin, or from none', async () => {
    for (const origin of ['https://evil.example', 'http://localhost:8081', 'null', undefined])
      expect(outcomeOf(await create(owner, widget(), { origin }))).toBe('403 origin_not_allowed');
    const crossing = { 'sec-fetch-site': 'same-site' };
    expect(outcomeOf(await owner.call({ url: whoami, headers: crossing }))).toBe('403 origin_not_allowed');
  });

  it('a session gives no access to paths of the API', async () => {
    const answer = await t.call({ url: whoami, headers: { cookie: owner.headers['cookie'] } });
    expect(outcomeOf(answer)).toBe('401 api_key_missing');
  });

  it('403 without the second factor that the account requires', async () => {
    const strict = await createAccount(t.services.db, { mfa_required: true });
    const one = await SignedIn.open(t, strict.id, 'owner');
    expect(outcomeOf(await one.call({ url: whoami }))).toBe('403 second_factor_required');
    const two = await SignedIn.open(t, strict.id, 'owner', { secondFactor: true });
    expect((await two.call({ url: whoami })).statusCode).toBe(200);
  });

  it('404 for a path that no endpoint has, 405 for another method', async () => {
    expect(outcomeOf(await owner.call({ url: '/account/v1/nothing' }))).toBe('404 endpoint_not_found');
    expect(outcomeOf(await owner.call({ method: 'PUT', url: whoami, payload: {} }))).toBe(
      '405 method_not_allowed',
    );
  });

  it('429 after 600 calls in a minute, for this session only; addresses are not counted', async () => {
    const [busy, calm] = [
      await SignedIn.open(t, account.id, 'viewer'),
      await SignedIn.open(t, account.id, 'viewer'),
    ];
    calm.address = busy.address;
    const { limit } = await import('./session.ts');
    while (limit.left(busy.sessionId) > 1) limit.take(busy.sessionId);
    expect((await busy.call({ url: whoami })).statusCode).toBe(200);
    const refused = await busy.call({ url: whoami });
    expect([outcomeOf(refused), Number(refused.headers['retry-after']) > 0]).toEqual([
      '429 too_many_attempts',
      true,
    ]);
    expect((await calm.call({ url: whoami })).statusCode).toBe(200);
  });
});
