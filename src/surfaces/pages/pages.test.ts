import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../../kernel/problems/catalogue.ts';
import { portalElsewhere } from '../../provider/portal-address.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { openExchange } from '../http/exchange.ts';
import { createServer } from '../http/server.ts';
import { servePages } from './routes.ts';

let t: TestApp;
let server: ReturnType<typeof createServer>;

beforeAll(async () => {
  t = await createTestApp();
  server = createServer(t.services);
  servePages(server, t.services, '1.2.3', openExchange);
});

afterAll(async () => {
  await server.close();
  await t.close();
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (url: string, accept = '*/*') => server.inject({ url, headers: { accept } });
const urls = ['/', '/docs', '/docs/errors', '/docs/approvals', '/docs/errors/name_taken'];

describe.each(urls)('%s', (url) => {
  it('200 for a browser: one HTML page that loads nothing and runs no scripts', async () => {
    const { statusCode, headers, body } = await get(url, BROWSER);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(headers).toMatchObject({ vary: 'Accept', 'x-request-id': expect.stringMatching(/^req_/) });
    expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(body).toContain('name="viewport"');
    expect(body).not.toMatch(/<script|<img|<link|@import|url\(|undefined|\[object/);
  });

  it('200 for other clients: JSON', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const { statusCode, headers, body } = await get(url, accept);
      expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(Object.keys(JSON.parse(body)).length).toBeGreaterThan(0);
    }
  });
});

describe('with the portal', () => {
  it('leads browsers to it, and answers other clients as before', async () => {
    const withPortal = createServer(t.services);
    servePages(withPortal, t.services, '1.2.3', openExchange, () => '');
    const ask = (url: string, accept: string) =>
      withPortal.inject({ url, headers: { accept, host: 'localhost:8080' } });
    for (const [url, target] of [
      ['/', '/portal'],
      ['/docs', '/portal/api/reference'],
      ['/docs/approvals', '/portal/approvals'],
      ['/docs/errors', '/portal/api/reference/errors'],
      ['/docs/errors/name_taken', '/portal/api/reference/errors/name_taken'],
    ] as const) {
      const { statusCode, headers } = await ask(url, BROWSER);
      expect([url, statusCode, headers.location]).toEqual([url, 302, target]);
      expect((await ask(url, '*/*')).headers['content-type']).toContain('application/json');
    }
    expect((await ask('/docs/errors/nothing', BROWSER)).statusCode).toBe(404);
    await withPortal.close();
  });
});

describe('the address of the portal', () => {
  const base = { portal: null, server: null };
  it.each([
    // Passkeys work for names only.
    ['127.0.0.1:8080', base, 'http://localhost:8080/portal'],
    ['[::1]:8080', base, 'http://localhost:8080/portal'],
    ['localhost:8080', base, '/portal'],
    ['10.0.0.7:8080', base, '/portal'],
    ['api.example.com', { portal: null, server: 'https://api.example.com' }, '/portal'],
    ['127.0.0.1:8080', { portal: null, server: 'https://api.example.com' }, 'https://api.example.com/portal'],
    [
      'api.example.com',
      { portal: 'https://portal.example.com', server: 'https://api.example.com' },
      'https://portal.example.com/portal',
    ],
  ])('at %s with %o is %s', async (host, { portal, server }, target) => {
    const { provider } = t.services;
    const configured = {
      ...provider,
      portal: { ...provider.portal, base_url: portal },
      server: { ...provider.server, base_url: server },
    };
    const app = createServer(t.services);
    const portalFor = (asked: string): string => portalElsewhere(configured, asked);
    servePages(app, { ...t.services, provider: configured }, '1.2.3', openExchange, portalFor);
    const { headers } = await app.inject({ url: '/', headers: { accept: BROWSER, host } });
    expect(headers.location).toBe(target);
    await app.close();
  });
});

describe('the pages', () => {
  it('explain the first call, and link to more', async () => {
    const { body } = await get('/', BROWSER);
    expect(body).toContain('X-API-Key: $HOSTPLANE_API_KEY');
    expect(body).toContain('/account/v1/whoami');
    const index = (await get('/')).json<Record<string, string>>();
    expect(index).toMatchObject({
      version: '1.2.3',
      first_call: expect.stringContaining('/account/v1/whoami'),
    });
    expect(index['openapi_json']).toMatch(/\/openapi\.json$/);
    expect(index['status']).toMatch(/\/readyz$/);
  });

  it('list every endpoint and every code', async () => {
    const docs = (await get('/docs', BROWSER)).body;
    for (const { method, path } of t.registry.endpoints) expect(docs).toContain(`${method} ${path}</code>`);
    const errors = (await get('/docs/errors', BROWSER)).body;
    for (const [code, { portalOnly }] of Object.entries(problems))
      expect([code, errors.includes(`id="${code}"`)]).toEqual([code, portalOnly !== true]);
  });

  it('have a section for the type URI of each problem, and 404 for an unknown code', async () => {
    const { type } = (await server.inject({ url: '/account/v1/whoami' })).json<{ type: string }>();
    expect(type).toBe(`${t.services.docsUrl}/errors/api_key_missing`);
    expect((await get('/docs/errors/api_key_missing')).json()).toMatchObject({ status: 401 });
    const unknown = await get('/docs/errors/nothing');
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'endpoint_not_found']);
  });
});

describe('a path that is not there', () => {
  it('404 for a browser: a page that leads on', async () => {
    const { statusCode, headers, body } = await get('/no/such/page', BROWSER);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers).toMatchObject({ vary: 'Accept', 'x-request-id': expect.stringMatching(/^req_/) });
    expect(body).toContain('<h1>There is no such page</h1>');
    expect([...body.matchAll(/href="(\/[^"]*)"/g)].map(([, href]) => href)).toEqual(['/', '/docs']);
    const withPortal = createServer(t.services);
    servePages(withPortal, t.services, '1.2.3', openExchange, () => '');
    const shown = await withPortal.inject({ url: '/no/such/page', headers: { accept: BROWSER } });
    expect(shown.body).toContain('href="/portal"');
    await withPortal.close();
  });

  it('404 for other clients and other methods: the problem of the API', async () => {
    for (const answer of [
      await get('/no/such/page'),
      await server.inject({ method: 'POST', url: '/no/such/page', headers: { accept: BROWSER } }),
    ])
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'endpoint_not_found']);
  });
});
