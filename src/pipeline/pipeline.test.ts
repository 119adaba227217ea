import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { DRY_RUN_FORMAT } from './format.ts';

let t: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  t = await createTestApp();
  account = await createAccount(t.services.db);
  key = await createKey(t.services.db, account);
});

afterAll(() => t.close());

describe('a request', () => {
  it('200: whoami answers with the headers of every answer', async () => {
    const response = await t.call({ url: '/account/v1/whoami', key: key.key });
    expect(response.json()).toMatchObject({ account: { id: account.id }, key: { public_id: key.publicId } });
    expect(response.statusCode).toBe(200);
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    expect(response.headers['ratelimit-policy']).toBe('"ip";q=200;w=60');
    expect(response.headers['ratelimit']).toBe('"ip";r=199;t=60');
  });

  it('200 for every endpoint that lists or reads the account', async () => {
    const reads = t.registry.endpoints.filter(
      ({ method, family, path }) => method === 'GET' && family === 'account' && !path.includes('{'),
    );
    for (const endpoint of reads) {
      const response = await t.call({ url: endpoint.path, key: key.key });
      expect([endpoint.id, response.statusCode, response.body]).toEqual([endpoint.id, 200, response.body]);
    }
  });

  it.each([
    ['with a typing error', '/account/v1/who-am-i', '/account/v1/whoami'],
    ['without the version', '/workshop/widgets', '/workshop/v1/widgets'],
    ['without the family', '/v1/widgets/wid_1', '/workshop/v1/widgets/{id}'],
  ])('404: a path %s gets a suggestion', async (_, url, meant) => {
    const { code, detail } = (await t.call({ url, key: key.key })).json();
    expect([code, detail]).toEqual([
      'endpoint_not_found',
      `The API has no endpoint with this path. Did you mean ${meant}?`,
    ]);
  });

  it('404: a path that resembles no other gets no suggestion', async () => {
    const { detail } = (await t.call({ url: '/workshop/v1/gadgets/1/2/3', key: key.key })).json();
    expect(detail).toBe('The API has no endpoint with this path.');
  });

  describe('as a dry run', () => {
    const typeFor = async (accept?: string): Promise<unknown> => {
      const { statusCode, headers, body } = await t.call({
        method: 'POST',
        url: '/workshop/v1/widgets?dry_run=true',
        key: key.key,
        headers: accept === undefined ? {} : { accept },
        payload: { name: 'dry', size: 3 },
      });
      expect([statusCode, headers['vary'], JSON.parse(body).dry_run]).toEqual([200, 'accept', true]);
      return headers['content-type'];
    };

    it.each([undefined, '*/*', 'application/*', DRY_RUN_FORMAT, `application/json, ${DRY_RUN_FORMAT}`])(
      '200 with a media type of its own for Accept: %s',
      async (accept) => expect(await typeFor(accept)).toBe(DRY_RUN_FORMAT),
    );

    it.each([
      'application/json',
      'application/json, text/plain, */*',
      `application/json, ${DRY_RUN_FORMAT};q=0.5`,
    ])('200 as JSON for clients that ask for JSON: %s', async (accept) =>
      expect(await typeFor(accept)).toBe('application/json'),
    );
  });

  it('creates, replays, patches and deletes a widget, each with one audit entry', async () => {
    const request = {
      method: 'POST' as const,
      url: '/workshop/v1/widgets',
      key: key.key,
      headers: { 'idempotency-key': 'a-1' },
      payload: { name: 'w1', size: 3 },
    };
    const first = await t.call(request);
    expect([first.statusCode, first.json().password]).toEqual([201, expect.stringMatching(/^pw-/)]);
    expect(first.headers['cache-control']).toBe('no-store');
    const again = await t.call(request);
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.json()).toEqual({ ...first.json(), password: null, secret_returned_before: true });
    const url = `/workshop/v1/widgets/${first.json().id}`;
    const stale = await t.call({
      method: 'PATCH',
      url,
      key: key.key,
      headers: { 'if-match': '"old"' },
      payload: { size: 4 },
    });
    expect([stale.statusCode, stale.json().code]).toEqual([412, 'etag_mismatch']);
    const patched = await t.call({
      method: 'PATCH',
      url,
      key: key.key,
      headers: { 'if-match': `"${first.json().etag}"` },
      payload: { size: 4 },
    });
    expect([patched.statusCode, patched.json().size]).toEqual([200, 4]);
    const dry = await t.call({ method: 'DELETE', url: `${url}?dry_run=true`, key: key.key });
    expect([dry.statusCode, dry.json().effects]).toEqual([
      200,
      [expect.objectContaining({ action: 'delete' })],
    ]);
    expect((await t.call({ method: 'DELETE', url, key: key.key })).statusCode).toBe(204);
    expect((await t.call({ method: 'DELETE', url, key: key.key })).statusCode).toBe(404);
    await t.services.audit.flush();
    const log = await t.call({ url: '/account/v1/audit-log?sort=occurred_at', key: key.key });
    const seen = log
      .json()
      .data.map((e: { action: string; outcome: string }) => `${e.action} ${e.outcome}`)
      .sort();
    expect(seen).toEqual([
      'createWidget succeeded',
      'deleteWidget rejected',
      'deleteWidget succeeded',
      'updateWidget rejected',
      'updateWidget succeeded',
    ]);
  });
});

describe('warnings', () => {
  const create = (name: string, query = '', headers: Record<string, string> = {}) =>
    t.call({
      method: 'POST',
      url: `/workshop/v1/widgets${query}`,
      key: key.key,
      headers,
      payload: { name, size: 10 },
    });

  it('201: are the same as in the dry run, in a header, also when the answer is replayed', async () => {
    const { warnings } = (await create('large', '?dry_run=true')).json();
    expect(warnings).toMatchObject([{ code: 'large', pointer: '/size' }]);
    const headers = { 'idempotency-key': 'large' };
    for (const answer of [await create('large', '', headers), await create('large', '', headers)]) {
      expect(answer.statusCode).toBe(201);
      expect(JSON.parse(String(answer.headers['hostplane-warnings']))).toEqual(warnings);
    }
  });
});
