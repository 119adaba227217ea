import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createAccount, createKey, createMember, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { openExchange } from '../http/exchange.ts';
import { createServer } from '../http/server.ts';
import type { OpenApiDocument } from './model.ts';
import { serveOpenapi } from './routes.ts';

let test: TestApp;
let server: FastifyInstance;
let account: TestAccount;

beforeAll(async () => {
  test = await createTestApp();
  server = createServer(test.services);
  serveOpenapi(server, test.services, openExchange);
  account = await createAccount(test.services.db);
});

afterAll(async () => {
  await server.close();
  await test.close();
});

const get = (url: string, headers: InjectOptions['headers'] = {}) =>
  server.inject({ url, headers, remoteAddress: '192.0.2.10' });

const operationsIn = ({ paths }: OpenApiDocument): string[] =>
  Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));

describe('the whole document', () => {
  it('is public, with all operations and the URL of this installation', async () => {
    const answer = await get('/openapi.json');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    const document = answer.json<OpenApiDocument>();
    expect(operationsIn(document)).toHaveLength(test.registry.endpoints.length);
    expect(document.servers).toEqual([{ url: test.services.baseUrl }]);
  });

  it('is the same in YAML', async () => {
    const [json, yaml] = [await get('/openapi.json'), await get('/openapi.yaml')];
    expect(yaml.headers['content-type']).toContain('application/yaml');
    expect(parse(yaml.body)).toEqual(json.json());
    expect(yaml.headers.etag).not.toBe(json.headers.etag);
  });

  it.each(['/openapi.json', '/openapi.yaml'])('answers 304 to a client that has %s already', async (url) => {
    const { etag } = (await get(url)).headers;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const tag of [`${etag}`, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(url, { 'if-none-match': tag });
      expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('gives HEAD the headers of GET', async () => {
    const head = await server.inject({ method: 'HEAD', url: '/openapi.json' });
    const whole = await get('/openapi.json');
    expect(head.statusCode).toBe(200);
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
      expect(head.headers[name], name).toBe(whole.headers[name]);
    }
  });

  it('does not count for the rate limit', async () => {
    for (let i = 0; i < 5; i++) await get('/openapi.json');
    expect(await test.services.limiter.peek('192.0.2.10')).toMatchObject({ remaining: 200 });
  });

  it('counts for the rate limit with ?for=me, because the key is looked up', async () => {
    const before = await test.services.limiter.peek('192.0.2.10');
    expect((await get('/openapi.json?for=me')).statusCode).toBe(401);
    const after = await test.services.limiter.peek('192.0.2.10');
    expect(after.remaining).toBe(before.remaining - 1);
  });
});

describe('an invalid request for the document', () => {
  it.each([
    ['/openapi.json?format=yaml', 'query/format', 'unknown_member'],
    ['/openapi.yaml?for=you', 'query/for', 'invalid_format'],
    ['/openapi.json?for=me&for=me', 'query/for', 'not_unique'],
  ])('422 for %s', async (url, pointer, code) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(422);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      request_id: answer.headers['x-request-id'],
      errors: [expect.objectContaining({ pointer, code })],
    });
  });

  it('405 for every method that would change something', async () => {
    const answer = await server.inject({ method: 'DELETE', url: '/openapi.json' });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(answer.json()).toMatchObject({ code: 'method_not_allowed' });
  });
});

describe('?for=me', () => {
  const forMe = (key: string, format = 'json') => get(`/openapi.${format}?for=me`, { 'x-api-key': key });

  it('contains only what the key may call, and is not cached', async () => {
    const { key } = await createKey(test.services.db, account, { permissions: ['workshop:*:read'] });
    const answer = await forMe(key);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers).not.toHaveProperty('etag');
    const allowed = operationsIn(answer.json());
    expect(allowed).toEqual(expect.arrayContaining(['getWhoami', 'listMyApis', 'listWidgets', 'getWidget']));
    expect(allowed).not.toContain('createWidget');
    expect(allowed).not.toContain('listApiKeys');
    expect(parse((await forMe(key, 'yaml')).body)).toEqual(answer.json());
  });

  it('shrinks with the role of the owner of the key', async () => {
    const { db } = test.services;
    const viewer = { ...account, ownerId: await createMember(db, account.id, 'viewer') };
    const { key } = await createKey(db, viewer, { permissions: ['workshop:*:*'] });
    expect(operationsIn((await forMe(key)).json())).not.toContain('deleteWidget');
  });

  it.each([
    ['no key', {}, 401, 'api_key_missing'],
    ['a bearer', { authorization: 'Bearer x' }, 401, 'bearer_not_supported'],
    ['a torn key', { 'x-api-key': 'hpk1_x' }, 401, 'api_key_malformed'],
  ])('refuses %s like any call', async (_, headers, status, code) => {
    const answer = await get('/openapi.json?for=me', headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['www-authenticate']).toBe('ApiKey header="X-API-Key"');
    expect(answer.json()).toMatchObject({ code, request_id: answer.headers['x-request-id'] });
  });

  it('refuses a revoked key, and an address that is not on an enforced allowlist', async () => {
    const { db } = test.services;
    const revoked = await createKey(db, account, { status: 'revoked' });
    expect((await forMe(revoked.key)).json()).toMatchObject({ code: 'api_key_revoked' });
    const closed = await createAccount(db);
    await db.insertInto('ip_allowlists').values({ account_id: closed.id, mode: 'enforce' }).execute();
    const { key } = await createKey(db, closed);
    expect((await forMe(key)).json()).toMatchObject({ code: 'ip_not_allowed', client_ip: '192.0.2.10' });
  });
});
