import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../laws/responses.ts';
import { evaluateBudgets } from '../../../money/budgets/evaluation.ts';
import {
  createAccount,
  createKey,
  createMember,
  type TestAccount,
  type TestKey,
} from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { spend } from '../../../testing/spent-money.ts';

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

const body = { amount: '100', thresholds: [{ percent: 80 }] };

function put(name: string, payload: object = body, headers: Record<string, string> = {}, query = '') {
  return app.call({
    method: 'PUT',
    url: `/account/v1/budgets/${name}${query}`,
    payload,
    headers,
    key: key.key,
  });
}

const remove = (name: string, headers: Record<string, string> = {}) =>
  app.call({ method: 'DELETE', url: `/account/v1/budgets/${name}`, headers, key: key.key });

const list = async () =>
  (await app.call({ url: '/account/v1/budgets', key: key.key })).json<{ data: Record<string, unknown>[] }>()
    .data;

const faultsOf = (response: { json(): { errors: { pointer: string; code: string }[] } }) =>
  response
    .json()
    .errors.map(({ pointer, code }) => `${pointer} ${code}`)
    .sort();

const lock = (name: string) =>
  app.services.db
    .updateTable('budgets')
    .set({ locked: true })
    .where('account_id', '=', account.id)
    .where('name', '=', name)
    .execute();

describe('setting a budget', () => {
  it('201 for a new name, 200 for an existing name or id, with every default filled in', async () => {
    const first = await put('cap');
    expect(first.statusCode).toBe(201);
    const made = first.json();
    expect(made).toMatchObject({
      name: 'cap',
      description: '',
      amount: '100.00',
      currency: 'EUR',
      period: 'month',
      scope: { families: null, label_selector: null, api_key_ids: null },
      thresholds: [{ percent: 80, basis: 'actual' }],
      action: 'notify',
      blocks: 'forecast',
      emails: [],
      locked: false,
      spent: '0.00',
      percent_used: 0,
      status: 'ok',
      crossed: [],
    });
    const again = await put('cap');
    expect([again.statusCode, again.json()]).toEqual([200, made]);
    const changed = await put(made.id, { ...body, amount: '90.5', description: 'less' });
    expect(changed.statusCode).toBe(200);
    expect(changed.json()).toMatchObject({ id: made.id, name: 'cap', amount: '90.50', description: 'less' });
    expect(changed.json().etag).not.toBe(made.etag);
    expect((await put('cap')).json()).toMatchObject({ amount: '100.00', description: '' });
    expect(await list()).toHaveLength(1);
  });

  it('200: accepts the values that the list shows, and changes nothing', async () => {
    const made = (await put('cap', { ...body, scope: { families: ['storage'] } })).json();
    const { amount, currency, scope, thresholds, action, blocks, emails, description } = made;
    const shown = { amount, currency, scope, thresholds, action, blocks, emails, description };
    const again = await put('cap', shown);
    expect([again.statusCode, again.json()]).toEqual([200, made]);
  });

  it('412: with If-None-Match: * the budget must not exist, with If-Match it must have that version', async () => {
    const { etag } = (await put('cap', body, { 'if-none-match': '*' })).json();
    expect(outcomeOf(await put('cap', body, { 'if-none-match': '*' }))).toBe('412 etag_mismatch');
    expect(outcomeOf(await put('cap', body, { 'if-match': '"stale"' }))).toBe('412 etag_mismatch');
    expect(outcomeOf(await put('new', body, { 'if-match': `"${etag}"` }))).toBe('412 etag_mismatch');
    expect(outcomeOf(await remove('cap', { 'if-match': '"stale"' }))).toBe('412 etag_mismatch');
    expect((await put('cap', { ...body, amount: '1' }, { 'if-match': `"${etag}"` })).statusCode).toBe(200);
  });

  it('422: amounts out of range, repeated thresholds, invalid label selectors, and `locked`', async () => {
    for (const amount of ['0', '0.00', '10000000.01', '99999999'])
      expect(faultsOf(await put('cap', { ...body, amount }))).toEqual(['/amount out_of_range']);
    for (const amount of ['1.001', '-1', '1e3', '01', ''])
      expect(faultsOf(await put('cap', { ...body, amount }))).toEqual(['/amount invalid_format']);
    for (const amount of ['0.01', '10000000'])
      expect((await put('edge', { ...body, amount })).statusCode).toBeLessThan(300);
    const twice = [{ percent: 80 }, { percent: 80, basis: 'forecast' }, { percent: 80, basis: 'actual' }];
    const wrong = { ...body, thresholds: twice, scope: { label_selector: 'a in b' } };
    expect(faultsOf(await put('cap', wrong))).toEqual([
      '/scope/label_selector invalid_format',
      '/thresholds/2 not_unique',
    ]);
    expect(faultsOf(await put('cap', { ...body, locked: true }))).toEqual(['/locked immutable']);
    expect(faultsOf(await put('cap', { ...body, currency: 'USD' }))).toEqual(['/currency unknown_reference']);
  });

  it('422: API keys of other accounts, and e-mail addresses that no member has', async () => {
    const { db } = app.services;
    const stranger = await createKey(db, await createAccount(db));
    const member = await createMember(db, account.id, 'viewer');
    const scope = { api_key_ids: [key.id, stranger.id] };
    const emails = [`${member.toUpperCase()}@example.com`, 'who@example.com'];
    expect(faultsOf(await put('cap', { ...body, scope, emails }))).toEqual([
      '/emails/1 unverified_email',
      '/scope/api_key_ids/1 unknown_reference',
    ]);
    await db
      .updateTable('accounts')
      .set({ contacts: { technical: [], abuse: [], security: ['who@example.com'] } })
      .where('id', '=', account.id)
      .execute();
    const sound = await put('cap', { ...body, scope: { api_key_ids: [key.id] }, emails });
    expect([sound.statusCode, sound.json().emails]).toEqual([201, emails]);
  });

  it('422: a description that contains an API key', async () => {
    const response = await put('cap', { ...body, description: `use ${key.key}` });
    expect([outcomeOf(response), faultsOf(response)]).toEqual([
      '422 secret_in_text',
      ['/description hostplane_key'],
    ]);
    expect(response.body).not.toContain(key.key);
  });

  it('409: more than 20 budgets, also when two are created at the same time', async () => {
    for (let i = 1; i < 20; i++) expect((await put(`cap-${i}`)).statusCode).toBe(201);
    const outcomes = await Promise.all(['one', 'two', 'three'].map((name) => put(name)));
    expect(outcomes.map(outcomeOf).sort()).toEqual(['201', '409 quota_exceeded', '409 quota_exceeded']);
    const refused = outcomes.find(({ statusCode }) => statusCode === 409)?.json();
    expect(refused).toMatchObject({ limit_id: 'account.budgets', limit: 20, used: 20, requested: 1 });
    expect((await put('cap-1', { ...body, amount: '5' })).statusCode).toBe(200);
    expect((await remove('cap-1')).statusCode).toBe(204);
    expect((await put('again')).statusCode).toBe(201);
  });

  it('creates one budget when five calls with the same name arrive at the same time', async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => put('same')));
    expect(outcomes.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 201]);
  });
});

describe('a locked budget', () => {
  const strict = { ...body, action: 'block_new_cost' };
  beforeEach(async () => {
    await put('cap', strict);
    await lock('cap');
  });

  it.each([
    { amount: '100.01' },
    { thresholds: [{ percent: 81 }] },
    { thresholds: [{ percent: 1 }] },
    { blocks: 'spent' },
    { thresholds: [{ percent: 80, basis: 'forecast' }] },
    { scope: { families: ['storage'] } },
    { scope: { label_selector: 'env=prod' } },
    { action: 'notify' },
  ])('403: %o would loosen it', async (change) => {
    const response = await put('cap', { ...strict, ...change });
    expect(outcomeOf(response)).toBe('403 portal_only');
    expect(response.json().detail).toContain('may only be tightened. ');
    expect(await list()).toMatchObject([{ amount: '100.00', action: 'block_new_cost', locked: true }]);
  });

  it('can be tightened by a lower amount or more thresholds, and stays locked', async () => {
    const tighter = { ...strict, amount: '50', thresholds: [{ percent: 80 }, { percent: 50 }] };
    const response = await put('cap', tighter);
    expect([response.statusCode, response.json()]).toMatchObject([200, { amount: '50.00', locked: true }]);
  });

  it('can be changed to also block on the forecast', async () => {
    await put('late', { ...strict, blocks: 'spent' });
    await lock('late');
    expect((await put('late', strict)).json()).toMatchObject({ blocks: 'forecast', locked: true });
  });

  it('can be changed to block', async () => {
    await put('soft');
    await lock('soft');
    expect((await put('soft', strict)).json()).toMatchObject({ action: 'block_new_cost', locked: true });
  });

  it('403: cannot be deleted, not even in a dry run', async () => {
    expect(outcomeOf(await remove('cap'))).toBe('403 portal_only');
    const dry = { method: 'DELETE', url: '/account/v1/budgets/cap?dry_run=true', key: key.key } as const;
    expect(outcomeOf(await app.call(dry))).toBe('403 portal_only');
    expect(await list()).toHaveLength(1);
  });

  it('keeps its recipients as long as they are members of the account', async () => {
    const { db } = app.services;
    const member = await createMember(db, account.id, 'admin');
    await put('told', { ...body, emails: [`${member}@example.com`] });
    await lock('told');
    expect(outcomeOf(await put('told'))).toBe('403 portal_only');
    await db.deleteFrom('members').where('id', '=', member).execute();
    expect((await put('told')).json()).toMatchObject({ emails: [] });
  });
});

describe('the list of budgets', () => {
  it('shows spent, percent and status of each budget for its own scope', async () => {
    const { db } = app.services;
    await spend(db, account.id, '81.50', { family: 'storage', labels: { env: 'prod' }, apiKeyId: key.id });
    await spend(db, account.id, '20.00', { family: 'support', labels: { env: 'test' } });
    await put('all', { ...body, action: 'block_new_cost' });
    await put('by-family', { ...body, scope: { families: ['storage'] } });
    await put('by-label', { ...body, scope: { label_selector: 'env!=prod' } });
    await put('by-key', { ...body, scope: { api_key_ids: [key.id] }, amount: '81.50' });
    const rows = await list();
    expect(rows.map(({ spent, committed }) => spent === committed)).toEqual([true, true, true, true]);
    expect(rows.map(({ name, spent, percent_used, status }) => [name, spent, percent_used, status])).toEqual([
      ['all', '101.50', 101.5, 'blocking'],
      ['by-family', '81.50', 81.5, 'warning'],
      ['by-label', '20.00', 20, 'ok'],
      ['by-key', '81.50', 100, 'exceeded'],
    ]);
  });

  it('shows ok again, and an event is written, when the amount is raised above what is spent', async () => {
    const { db } = app.services;
    await put('cap');
    await spend(db, account.id, '100.00');
    await evaluateBudgets(app.services);
    expect(await list()).toMatchObject([
      { status: 'exceeded', crossed: [{ percent: 80 }, { percent: 100, basis: 'actual' }] },
    ]);
    expect((await put('cap', { ...body, amount: '110' })).json()).toMatchObject({
      status: 'warning',
      crossed: [{ percent: 80 }],
    });
    expect((await put('cap', { ...body, amount: '1000' })).json()).toMatchObject({
      status: 'ok',
      crossed: [],
    });
    expect(await list()).toMatchObject([{ status: 'ok', crossed: [] }]);
    const events = await db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', account.id)
      .where('resource_type', '=', 'budget')
      .orderBy('sequence')
      .execute();
    expect(events.map(({ type }) => type)).toEqual([
      'budget.created',
      'budget.threshold_crossed',
      'budget.exceeded',
      'budget.updated',
      'budget.updated',
      'budget.reset',
    ]);
  });
});
