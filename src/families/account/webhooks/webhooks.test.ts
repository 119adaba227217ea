import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetWhatExpired } from '../../../kernel/retention/store.ts';
import { showSigningSecret } from '../../../operations/webhooks/signature.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { Customer, PostOffice } from '../../../testing/webhook-setup.ts';
import { insertDelivery } from '../../../testing/webhooks.ts';

let office: PostOffice;
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());

const url = 'https://hooks.example.com/a?token=t';
const faultsOf = (response: { json(): { errors: { pointer: string; code: string }[] } }) =>
  response.json().errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe('setWebhook', () => {
  it('201: creates a webhook and shows its secret once; 200 replaces it by name or id', async () => {
    const customer = await office.customer();
    const made = await customer.set('bot', { url, description: 'mine', labels: { team: 'a' } });
    expect(made.statusCode).toBe(201);
    expect(made.headers).toMatchObject({ 'cache-control': 'no-store', etag: `"${made.json().etag}"` });
    expect(made.json()).toMatchObject({
      name: 'bot',
      url,
      owner: { member_id: customer.ownerId },
      visible_permissions: ['*:*:*'],
      status: 'active',
      secret_version: 1,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previous_secret_valid_until: null,
    });
    const same = await customer.set('bot', { url, description: 'mine', labels: { team: 'a' } });
    expect([same.statusCode, same.json()]).toEqual([200, { ...made.json(), secret: null }]);
    const { id } = made.json();
    const replaced = await customer.set(id, { event_types: ['member.*'] });
    expect([replaced.statusCode, replaced.json()]).toMatchObject([
      200,
      {
        id,
        name: 'bot',
        description: '',
        labels: {},
        event_types: ['member.*'],
        secret_version: 1,
        secret: null,
      },
    ]);
    expect(JSON.stringify(await customer.show('bot'))).not.toContain('whsec_');
  });

  it('412: If-None-Match allows only creation, If-Match only replacement of that version', async () => {
    const customer = await office.customer();
    const none = { 'if-none-match': '*' };
    const missing = await customer.set('bot', {}, { 'if-match': '*' });
    expect([missing.statusCode, missing.json().current_etag]).toEqual([412, null]);
    const made = await customer.set('bot', {}, none);
    expect(made.statusCode).toBe(201);
    const again = await customer.set('bot', {}, none);
    expect([again.statusCode, again.json().current_etag]).toEqual([412, `"${made.json().etag}"`]);
    const changed = await customer.set('bot', { description: 'x' }, { 'if-match': `"${made.json().etag}"` });
    expect(changed.statusCode).toBe(200);
    expect((await customer.set('bot', {}, { 'if-match': `"${made.json().etag}"` })).statusCode).toBe(412);
    const weak = { 'if-none-match': `W/"${changed.json().etag}"` };
    expect((await customer.set('bot', {}, weak)).statusCode).toBe(412);
    expect((await customer.call('DELETE', '/bot', undefined, { 'if-match': '"old"' })).statusCode).toBe(412);
    expect((await customer.call('DELETE', '/bot')).statusCode).toBe(204);
    expect((await customer.call('DELETE', '/bot')).statusCode).toBe(404);
  });

  it('201 once: two concurrent calls with the same name create one webhook', async () => {
    const customer = await office.customer();
    const answers = await Promise.all(Array.from({ length: 4 }, () => customer.set('bot')));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
  });

  it('422: secret_version can only be raised by one', async () => {
    const customer = await office.customer();
    expect(faultsOf(await customer.set('bot', { secret_version: 2 }))).toEqual([
      '/secret_version out_of_range',
    ]);
    await customer.set('bot', { secret_version: 1 });
    const rotated = await customer.set('bot', { secret_version: 2 });
    expect(rotated.json()).toMatchObject({ secret_version: 2, secret: expect.any(String) });
    expect((await customer.set('bot', { secret_version: 2 })).json().secret).toBeNull();
    expect((await customer.set('bot')).json()).toMatchObject({ secret_version: 2, secret: null });
    for (const secret_version of [1, 4])
      expect(faultsOf(await customer.set('bot', { secret_version }))).toEqual([
        '/secret_version out_of_range',
      ]);
  });

  it('signs with a secret chosen by the caller, never shows it, and can replace it', async () => {
    const customer = await office.customer();
    const [first, second] = [1, 2].map((n) => `whsec_${Buffer.alloc(32, n).toString('base64')}`);
    const made = await customer.set('bot', { secret: first });
    expect([made.statusCode, made.json()]).toMatchObject([201, { secret: null, secret_version: 1 }]);
    const same = await customer.set('bot', { secret: first });
    expect(same.json()).toMatchObject({ secret: null, secret_version: 1, etag: made.json().etag });
    const other = await customer.set('bot', { secret: second });
    expect(other.json()).toMatchObject({ secret: null, secret_version: 2 });
    expect((await customer.set('bot')).json()).toMatchObject({ secret: null, secret_version: 2 });
    const row = await office.app.services.db
      .selectFrom('webhooks')
      .select(['secret', 'previous_secret'])
      .where('id', '=', made.json().id)
      .executeTakeFirstOrThrow();
    const opened = [row.secret, row.previous_secret].map((sealed) =>
      showSigningSecret(office.app.services.secrets.open(sealed as Buffer, made.json().id)),
    );
    expect(opened).toEqual([second, first]);
  });

  it.each([
    ['whsec_', 'invalid_format'],
    ['whsec_c2hvcnQ=', 'invalid_format'],
    [Buffer.alloc(32, 1).toString('base64'), 'invalid_format'],
    [`whsec_${Buffer.alloc(65, 1).toString('base64')}`, 'invalid_format'],
    [`whsec_${Buffer.alloc(32, 1).toString('base64')}=`, 'invalid_format'],
  ])('422: the secret %s', async (secret, code) => {
    const customer = await office.customer();
    expect(faultsOf(await customer.set('bot', { secret }))).toEqual([`/secret ${code}`]);
  });

  it('422: a secret together with secret_version', async () => {
    const customer = await office.customer();
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    expect(faultsOf(await customer.set('bot', { secret, secret_version: 1 }))).toEqual([
      '/secret_version mutually_exclusive',
    ]);
  });

  it.each([
    ['http://example.com/', 'invalid_format'],
    ['nonsense', 'invalid_format'],
    ['https://user:pw@example.com/', 'invalid_format'],
    ['https://example.com/#part', 'invalid_format'],
    ['https://example.com/#', 'invalid_format'],
    ['https://example.com:25/', 'invalid_format'],
    ['https://10.0.0.1/', 'blocked_address'],
    ['https://169.254.169.254/latest', 'blocked_address'],
    ['https://[::ffff:10.0.0.1]/', 'blocked_address'],
    ['https://[fd00::1]:8443/', 'blocked_address'],
    ['https://0x0a000001/', 'blocked_address'],
    ['https://100.64.1.1:9000/', 'blocked_address'],
  ])('422: %s is %s', async (address, code) => {
    const customer = await office.customer();
    expect(faultsOf(await customer.set('bot', { url: address }))).toEqual([`/url ${code}`]);
  });

  it.each([
    'https://example.com',
    'https://example.com:8443/x?y=1',
    'https://example.com:1024/',
    'https://1.1.1.1/',
  ])('201: %s', async (address) => {
    const customer = await office.customer();
    expect((await customer.set('bot', { url: address })).statusCode).toBe(201);
  });

  it('422: names every fault at once, including unknown event types', async () => {
    const customer = await office.customer();
    const refused = await customer.set('bot', {
      url: 'http://a/',
      event_types: ['member.*', 'membr.joined'],
    });
    expect(faultsOf(refused)).toEqual(['/url invalid_format', '/event_types/1 unknown_event_type']);
  });

  it('409 quota_exceeded: the twenty-first webhook is refused, and the twenty others stay', async () => {
    const customer = await office.customer();
    for (let i = 0; i < 20; i++) expect((await customer.set(`bot-${i}`)).statusCode).toBe(201);
    const refused = await customer.set('one-more');
    expect(refused.json()).toMatchObject({
      code: 'quota_exceeded',
      limit_id: 'account.webhooks',
      limit: 20,
      used: 20,
      requested: 1,
    });
    expect((await customer.set('bot-3', { description: 'still' })).statusCode).toBe(200);
    await customer.call('DELETE', '/bot-3');
    expect((await customer.set('one-more')).statusCode).toBe(201);
  });

  it('writes neither the secret nor the query of the URL to the audit log, events or other tables', async () => {
    const customer = await office.customer();
    const { secret } = (await customer.set('bot', { url })).json();
    const { db } = office.app.services;
    const audit = await db
      .selectFrom('audit_entries')
      .select('entry')
      .where('account_id', '=', customer.account.id)
      .execute();
    expect(JSON.stringify(audit)).toContain('hooks.example.com');
    expect(JSON.stringify(audit)).not.toContain('token=t');
    const tables = [
      audit,
      await db.selectFrom('events').selectAll().execute(),
      await db.selectFrom('webhooks').selectAll().execute(),
    ];
    expect(JSON.stringify(tables)).not.toContain(secret.slice(6, 40));
    const row = await db
      .selectFrom('webhooks')
      .select('secret')
      .where('account_id', '=', customer.account.id)
      .executeTakeFirstOrThrow();
    expect(row.secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
    expect(office.app.logged.join('')).not.toContain(secret.slice(6, 40));
  });

  it('shows events according to the permissions of the key that set the webhook last', async () => {
    const customer = await office.customer();
    await customer.set('bot');
    const { key } = await createKey(office.app.services.db, customer.account, {
      permissions: ['account:webhooks:write', 'account:members:read'],
    });
    const narrow = new Customer(office, customer.account, key, customer.ownerId);
    expect((await narrow.set('bot')).json().visible_permissions).toEqual([
      'account:webhooks:write',
      'account:members:read',
    ]);
  });
});

describe('dry runs of webhook calls', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await createTestApp({ works: false });
  });
  afterAll(() => t.close());

  it('200: describe the effects and have none', async () => {
    const account = await createAccount(t.services.db);
    const { key } = await createKey(t.services.db, account);
    const put = (query: string) =>
      t.call({
        method: 'PUT',
        url: `/account/v1/webhooks/bot${query}`,
        key,
        payload: { url, event_types: ['*'] },
      });
    const dry = await put('?dry_run=true');
    expect(dry.json()).toMatchObject({
      dry_run: true,
      effects: [{ action: 'create', type: 'webhook', name: 'bot' }],
    });
    expect(dry.body).not.toContain('whsec_');
    expect((await put('')).statusCode).toBe(201);
    expect((await put('?dry_run=true')).json().effects).toEqual([]);
  });
});

describe('listWebhookDeliveries and redeliverWebhook', () => {
  it('200: filters by status, type, event and time, for 30 days', async () => {
    const customer = await office.customer();
    const { id } = (await customer.set('bot')).json();
    const { services } = office.app;
    const old = new Date(Date.now() - 31 * 86_400_000);
    await insertDelivery(services, customer.account, id, { created_at: old });
    const lost = await insertDelivery(services, customer.account, id, { event_type: 'member.joined' });
    const done = await insertDelivery(services, customer.account, id, {
      status: 'succeeded',
      created_at: new Date(Date.now() - 60_000),
    });
    const found = async (query: string) => (await customer.attempts('bot', query)).map((row) => row.id);
    expect(await found('')).toEqual([lost, done]);
    expect(await found('status=succeeded')).toEqual([done]);
    expect(await found('event_type=member.joined')).toEqual([lost]);
    expect(await found(`since=${new Date(Date.now() - 30_000).toISOString()}`)).toEqual([lost]);
    const [first] = await customer.attempts('bot', 'status=succeeded');
    expect(await found(`event_id=${first?.event_id}`)).toEqual([done]);
    await forgetWhatExpired(services.db);
    const kept = await services.db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', id)
      .execute();
    expect(kept.map((row) => row.id).sort()).toEqual([lost, done].sort());
  });

  it('409: for a disabled webhook, or an event that was already removed', async () => {
    const customer = await office.customer();
    const { id } = (await customer.set('bot')).json();
    const lost = await insertDelivery(office.app.services, customer.account, id);
    expect((await customer.redeliver('bot', lost)).json().code).toBe('event_expired');
    await customer.set('bot', { enabled: false });
    expect((await customer.redeliver('bot', lost)).json().code).toBe('webhook_disabled');
    await customer.set('other');
    expect((await customer.redeliver('other', lost)).statusCode).toBe(404);
  });
});
