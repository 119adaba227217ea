import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { ensurePortal } from '../../testing/browser/portal.ts';
import { openExchange } from '../http/exchange.ts';
import { createServer } from '../http/server.ts';
import { readBuiltFiles } from './built-files.ts';
import { servePortalFiles } from './files.ts';

let t: TestApp;
let server: FastifyInstance;

beforeAll(async () => {
  await ensurePortal();
  t = await createTestApp();
  server = createServer(t.services);
  servePortalFiles(server, t.services, openExchange);
});

afterAll(async () => {
  await server.close();
  await t.close();
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });
const COOKIE = { cookie: 'other=1; hp_session=abc' };

async function firstScript(): Promise<string> {
  const { body } = await get('/portal/sign-in');
  return /src="(\/portal\/assets\/[^"]+\.js)"/.exec(body)?.[1] ?? '';
}

describe('the files of the portal', () => {
  it('have strict headers: no inline code, no foreign origin, no frames, trusted types', async () => {
    const { statusCode, headers } = await get('/portal/sign-in');
    expect(statusCode).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'strict-transport-security': expect.stringContaining('max-age='),
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  it('have HTML that is revalidated, and scripts that are cached for a year', async () => {
    const page = await get('/portal/sign-in');
    expect(page.headers['cache-control']).toBe('no-cache');
    const known = await get('/portal/sign-in', { 'if-none-match': String(page.headers.etag) });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    const script = await get(await firstScript());
    expect([script.statusCode, script.headers['cache-control']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
  });

  it('are compressed in advance, each form with an ETag of its own', async () => {
    const url = await firstScript();
    const plain = await get(url);
    const packed = await get(url, { 'accept-encoding': 'gzip, br' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    expect((await get(url, { 'accept-encoding': 'gzip, br;q=0' })).headers['content-encoding']).toBe('gzip');
  });

  it('answer every path of the portal with the page of the application, and count none of them', async () => {
    const { statusCode, body, headers } = await get('/portal/api/keys/denials?x=1', COOKIE);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<div id="root">');
    expect(headers['ratelimit']).toBeUndefined();
  });

  it('redirect people without a session to the sign-in page, and back afterwards', async () => {
    const { statusCode, headers } = await get('/portal/api/keys?create=new');
    expect([statusCode, headers.location]).toEqual([
      302,
      '/portal/sign-in?next=%2Fportal%2Fapi%2Fkeys%3Fcreate%3Dnew',
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await get('/portal/api/reference/getVm')).statusCode).toBe(200);
  });

  it('404 for an asset or an act that does not exist, never a page', async () => {
    for (const url of ['/portal/assets/nothing.js', '/portal/v1/nothing']) {
      const { statusCode, headers } = await get(url, COOKIE);
      expect([url, statusCode]).toEqual([url, 404]);
      expect(headers['content-type']).toContain('application/problem+json');
    }
  });

  it('include the logo of the provider, from the file that the configuration names', async () => {
    expect((await get('/portal/logo')).statusCode).toBe(404);
    const folder = mkdtempSync(join(tmpdir(), 'hostplane-'));
    const logo = join(folder, 'logo.svg');
    writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const { provider } = t.services;
    const branded = createServer(t.services);
    const services = { ...t.services, provider: { ...provider, portal: { ...provider.portal, logo } } };
    servePortalFiles(branded, services, openExchange);
    try {
      const { statusCode, headers } = await branded.inject({ url: '/portal/logo' });
      expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml']);
      // Opened by itself, a picture with a script in it runs nothing.
      expect(headers['content-security-policy']).toContain("script-src 'self'");
    } finally {
      await branded.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('are missing without a build, so that the API can say so', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hostplane-'));
    try {
      expect(readBuiltFiles(folder)).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
