/**
 * Hostile input over a raw socket. Each request answers the exact problem of the catalogue and never a 5xx, and other
 * clients are still served.
 */
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryRateLimit } from '../../kernel/rate-limit/memory.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { createAccount, createKey, type TestKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { openRaw, type RawAnswer, type RawConnection, rawRequest } from '../../testing/raw-http.ts';
import { createServer } from './server.ts';

const WIDGETS = '/workshop/v1/widgets';
const WHOAMI = '/account/v1/whoami';
const LIMIT = 300_000;
const TOO_LARGE = '431 headers_too_large';

let t: TestApp;
let key: TestKey;
let port: number;
let hasty: FastifyInstance;
let clock = 0;
const open: RawConnection[] = [];

beforeAll(async () => {
  // All clients share the loopback address. A clock that jumps ahead keeps them below the rate limit.
  const limiter = new MemoryRateLimit({ now: () => (clock += 1000) });
  const provider = (config: ProviderConfig) => ({
    ...config,
    server: { ...config.server, body_limit_bytes: LIMIT },
  });
  t = await createTestApp({ limiter, provider });
  key = await createKey(t.services.db, await createAccount(t.services.db));
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  port = (t.app.server.address() as AddressInfo).port;
  // A second server has the short timeouts, because on a busy machine they would fail the other tests as well.
  hasty = createServer(t.services, { bodyMilliseconds: 300, headersMilliseconds: 300 });
  await hasty.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  for (const connection of open.splice(0)) connection.end();
  const whoami = await ask(rawRequest('GET', WHOAMI, { 'X-API-Key': key.key }));
  expect(whoami.status).toBe(200);
  for (const connection of open.splice(0)) connection.end();
  expect(t.logged.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});

afterAll(async () => {
  await hasty.close();
  await t.close();
});

async function connect(to: number = port): Promise<RawConnection> {
  const connection = await openRaw(to);
  open.push(connection);
  return connection;
}

const hastyPort = (): number => (hasty.server.address() as AddressInfo).port;

async function ask(...parts: (string | Buffer)[]): Promise<RawAnswer> {
  const answer = await (await connect()).send(...parts).answer();
  return answer ?? { status: 0, headers: {}, body: '' };
}

const json = (more: Record<string, string> = {}) => ({
  'X-API-Key': key.key,
  'Content-Type': 'application/json',
  ...more,
});
const post = (body: string, more: Record<string, string> = {}) =>
  ask(rawRequest('POST', WIDGETS, json(more), body));

function problemOf({ status, headers, body }: RawAnswer): string {
  expect(headers['content-type']).toMatch(/^application\/problem\+json\b/);
  expect(headers['x-request-id']).toMatch(/^req_/);
  const problem = JSON.parse(Buffer.from(body, 'latin1').toString()) as Record<string, unknown>;
  expect(problem['status']).toBe(status);
  expect(problem['type']).toBe(`${t.services.docsUrl}/errors/${problem['code']}`);
  expect(problem['request_id']).toBe(headers['x-request-id']);
  return `${status} ${problem['code']}`;
}

describe('a body', () => {
  it.each<[string, string | Buffer, string]>([
    ['that is cut off', '{"name":', '400 malformed_request'],
    ['with a trailing comma', '{"name":"a",}', '400 malformed_request'],
    ['in single quotes', "{'name':'a'}", '400 malformed_request'],
    ['of two values', '{} {}', '400 malformed_request'],
    ['with NaN', '{"size":NaN}', '400 malformed_request'],
    ['with a member twice', '{"name":"a","size":1,"size":2}', '400 malformed_request'],
    ['with a member twice, once escaped', '{"name":"a","\\u006eame":"b"}', '400 malformed_request'],
    ['nested 33 deep', `${'['.repeat(33)}${']'.repeat(33)}`, '400 malformed_request'],
    ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, '400 malformed_request'],
    ['with NUL', '{"name":"a\\u0000"}', '400 malformed_request'],
    ['with half a surrogate pair', '{"name":"\\ud800"}', '400 malformed_request'],
    ['with a byte order mark', '\ufeff{"name":"a","size":1}', '400 malformed_request'],
    ['that is not UTF-8', Buffer.from('{"name":"\xff\xfe"}', 'latin1'), '400 malformed_request'],
    ['that is overlong UTF-8', Buffer.from('{"name":"\xc0\x80"}', 'latin1'), '400 malformed_request'],
    ['in UTF-16', Buffer.from('{"name":"a"}', 'utf16le'), '400 malformed_request'],
    ['nested 32 deep', `${'['.repeat(32)}${']'.repeat(32)}`, '422 validation_failed'],
    ['that is no object', '"text"', '422 validation_failed'],
    ['named like every prototype', '{"__proto__":{"name":"a"},"size":1}', '422 validation_failed'],
  ])('%s', async (_, body, expected) => {
    const head = rawRequest('POST', WIDGETS, json({ 'Content-Length': String(Buffer.byteLength(body)) }));
    expect(problemOf(await ask(head, body))).toBe(expected);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'application/jsonx',
    'json',
    '',
  ])('of the type %j', async (type) => {
    expect(problemOf(await post('{}', { 'Content-Type': type }))).toBe('415 unsupported_media_type');
  });

  it('of no type', async () => {
    const request = rawRequest('POST', WIDGETS, { 'X-API-Key': key.key }, '{}');
    expect(problemOf(await ask(request))).toBe('415 unsupported_media_type');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('that is a %s bomb is not even inflated', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(8 * 1024 * 1024, ' '));
    const head = json({ 'Content-Encoding': encoding, 'Content-Length': String(bomb.length) });
    const answer = await ask(rawRequest('POST', WIDGETS, head), bomb);
    expect(problemOf(answer)).toBe('415 unsupported_media_type');
    expect(answer.body).toContain('uncompressed');
  });

  it('is read if it is one byte below the limit, and refused one byte over it before any of it arrives', async () => {
    const fits = `{"name":"a","size":1,"note":"${'x'.repeat(LIMIT - 31)}"}`;
    expect(Buffer.byteLength(fits)).toBe(LIMIT);
    expect(problemOf(await post(fits))).toBe('422 validation_failed');
    const answer = await ask(rawRequest('POST', WIDGETS, json({ 'Content-Length': String(LIMIT + 1) })));
    expect(problemOf(answer)).toBe('413 payload_too_large');
    expect(JSON.parse(answer.body)).toMatchObject({ limit_bytes: LIMIT });
    expect(answer.headers['connection']).toBe('close');
  });

  it('without a length is refused once it is too long', async () => {
    const connection = await connect();
    connection.send(rawRequest('POST', WIDGETS, json({ 'Transfer-Encoding': 'chunked' })));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    for (let sent = 0; sent <= LIMIT; sent += 0x4000) connection.send(chunk);
    expect(problemOf((await connection.answer())!)).toBe('413 payload_too_large');
    expect(await connection.rest()).toEqual([]);
  });

  it('that arrives too slowly is refused', async () => {
    const connection = await connect(hastyPort());
    connection.send(rawRequest('POST', WIDGETS, json({ 'Content-Length': '20' })), '{"na');
    expect(problemOf((await connection.answer())!)).toBe('408 request_timeout');
    expect(await connection.rest()).toEqual([]);
  });

  it('that never ends because the client left is dropped', async () => {
    const before = t.logged.length;
    const connection = await connect();
    connection.send(rawRequest('POST', WIDGETS, json({ 'Content-Length': '20', Expect: '100-continue' })));
    expect((await connection.answer())?.status).toBe(100);
    connection.send('{"na').end();
    await vi.waitFor(() => expect(t.logged.slice(before).join('')).toContain('"operation":"createWidget"'));
  });

  it.each(['GET', 'DELETE'])('with %s', async (method) => {
    const path = method === 'GET' ? WIDGETS : `${WIDGETS}/x`;
    expect(problemOf(await ask(rawRequest(method, path, json(), '{}')))).toBe('400 malformed_request');
    const chunked = rawRequest(method, path, { 'X-API-Key': key.key, 'Transfer-Encoding': 'chunked' });
    expect(problemOf(await ask(chunked, '2\r\n{}\r\n0\r\n\r\n'))).toBe('400 malformed_request');
  });

  it('is waited for with 100-continue, and judged like any other', async () => {
    const connection = await connect();
    connection.send(rawRequest('POST', WIDGETS, json({ Expect: '100-continue', 'Content-Length': '2' })));
    expect((await connection.answer())?.status).toBe(100);
    expect(problemOf((await connection.send('{}').answer())!)).toBe('422 validation_failed');
    const other = rawRequest('GET', WHOAMI, { 'X-API-Key': key.key, Expect: 'a-miracle' });
    expect((await ask(other)).status).toBe(200);
  });
});

describe('a connection', () => {
  const stolen = () => rawRequest('GET', WHOAMI, { 'X-API-Key': key.key });

  it('answers pipelined requests in their order', async () => {
    const connection = await connect();
    connection.send(stolen() + rawRequest('GET', WHOAMI) + stolen().replace('GET', 'HEAD'));
    expect((await connection.answer())?.status).toBe(200);
    expect((await connection.answer())?.status).toBe(401);
    expect((await connection.answer({ hasBody: false }))?.status).toBe(200);
  });

  it('never treats the rest of a refused body as a request', async () => {
    const next = rawRequest('GET', WHOAMI, { Connection: 'close' });
    for (const path of [WIDGETS, '/nowhere', '/workshop/v1/%zz', WHOAMI]) {
      const refused = rawRequest('POST', path, { 'Content-Type': 'application/json' }, stolen());
      const [first, ...more] = await (await connect()).send(refused + next).rest();
      expect([400, 401, 404, 405]).toContain(first?.status);
      expect(more.filter(({ status }) => status !== 401)).toEqual([]);
    }
  });

  const smuggled = (...lines: string[]) =>
    `POST ${WIDGETS} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key.key}\r\nContent-Type: application/json\r\n${lines.join('\r\n')}`;

  it.each<[string, string[]]>([
    ['both a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked', '', '0', '', '']],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 40', '', '{}']],
    ['a length that is none', ['Content-Length: 2x', '', '{}']],
    ['a negative length', ['Content-Length: -2', '', '{}']],
    ['a chunk size that is none', ['Transfer-Encoding: chunked', '', 'zz', '{}', '0', '', '']],
    ['a chunk size beyond all numbers', ['Transfer-Encoding: chunked', '', `${'f'.repeat(40)}`, '{}']],
    ['an encoding that is not chunked', ['Transfer-Encoding: identity', '', '{}']],
    ['a space before the colon', ['Content-Length : 2', '', '{}']],
    ['a folded header', ['X-Other: a', ' b', 'Content-Length: 2', '', '{}']],
    ['a bare line feed', ['Content-Length: 2\nX-Other: a', '', '{}']],
    ['a NUL in a header', ['X-Other: a\0b', 'Content-Length: 2', '', '{}']],
  ])('with %s ends after one refusal', async (_, lines) => {
    const connection = await connect();
    const answers = await connection.send(smuggled(...lines) + stolen()).rest();
    expect(answers.map(problemOf)).toEqual(['400 malformed_request']);
  });

  it.each<[string, string | Buffer, string?]>([
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version of its own', `GET ${WHOAMI} HTTP/9.9\r\nHost: a\r\n\r\n`],
    ['a method of its own', `FETCH ${WHOAMI} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['headers larger than 16 KiB', rawRequest('GET', WHOAMI, { 'X-Other': 'a'.repeat(17_000) }), TOO_LARGE],
    ['a path longer than 16 KiB', rawRequest('GET', `/${'a'.repeat(17_000)}`), TOO_LARGE],
    ['10,000 parameters', rawRequest('GET', `${WIDGETS}?${'a&'.repeat(10_000)}`), TOO_LARGE],
  ])('that speaks %s gets a readable refusal', async (_, bytes, expected = '400 malformed_request') => {
    const answers = await (await connect()).send(bytes).rest();
    expect(answers.map(problemOf)).toEqual([expected]);
    const id = answers[0]?.headers['x-request-id'];
    expect(t.logged.filter((line) => JSON.parse(line).request_id === id)).toHaveLength(1);
  });

  it('that sends its headers slowly is ended', async () => {
    const connection = await connect(hastyPort());
    const answers = await connection.send(`GET ${WHOAMI} HTTP/1.1\r\nHost: a\r\nX-Slow: `).rest();
    expect(answers.map(problemOf)).toEqual(['408 request_timeout']);
  });

  it('without a Host header is refused, and with HTTP/1.0 is served and closed', async () => {
    const answer = await ask(`GET ${WHOAMI} HTTP/1.1\r\n\r\n`);
    expect([problemOf(answer), answer.headers['ratelimit']]).toEqual([
      '400 malformed_request',
      expect.any(String),
    ]);
    const old = `GET ${WHOAMI} HTTP/1.0\r\nX-API-Key: ${key.key}\r\n\r\n`;
    expect((await (await connect()).send(old).rest()).map(({ status }) => status)).toEqual([200]);
  });
});

const parameters = (count: number): string => Array.from({ length: count }, (_, i) => `p${i}`).join('&');

describe('a request target', () => {
  const get = (target: string, method = 'GET') => ask(rawRequest(method, target, { 'X-API-Key': key.key }));

  it.each([
    ['with NUL as id', `${WIDGETS}/%00`, '404 not_found'],
    ['with dots as id', `${WIDGETS}/%2e%2e`, '404 not_found'],
    ['with a very long id', `${WIDGETS}/${'a'.repeat(15_000)}`, '404 not_found'],
    ['that climbs', `${WIDGETS}/../widgets`, '404 endpoint_not_found'],
    ['of thousands of steps', `/${'a/'.repeat(7_000)}`, '404 endpoint_not_found'],
    ['with two slashes', `/${WIDGETS}`, '404 endpoint_not_found'],
    ['of nothing', '/', '404 endpoint_not_found'],
    ['that is a star', '*', '404 endpoint_not_found'],
    ['with half an escape', `${WIDGETS}/%`, '400 malformed_request'],
    ['with bytes that are no UTF-8', `${WIDGETS}/%ff`, '400 malformed_request'],
    ['with half an escape in its query', `${WIDGETS}?name=%`, '400 malformed_request'],
    ['with half a surrogate pair in its query', `${WIDGETS}?name=%ed%a0%80`, '400 malformed_request'],
    ['with NUL in its query', `${WIDGETS}?name=%00`, '422 validation_failed'],
    ['with one parameter 8,000 times', `${WIDGETS}?${'a&'.repeat(8_000)}`, '422 validation_failed'],
    ['with 2,500 parameters', `${WIDGETS}?${parameters(2_500)}`, '422 validation_failed'],
  ])('%s', async (_, target, expected) => {
    const answer = await get(target);
    expect(problemOf(answer)).toBe(expected);
    expect(answer.body.length).toBeLessThan(20_000);
  });

  it('may be an absolute URI', async () => {
    expect((await get(`http://api.example.test${WHOAMI}`)).status).toBe(200);
    expect(problemOf(await get('http://api.example.test'))).toBe('404 endpoint_not_found');
  });

  it.each(['OPTIONS', 'TRACE', 'PUT', 'PROPFIND', 'LINK', 'PURGE', 'M-SEARCH'])('with %s', async (method) => {
    const answer = await get(WHOAMI, method);
    expect([problemOf(answer), answer.headers['allow']]).toEqual(['405 method_not_allowed', 'GET, HEAD']);
    expect(problemOf(await get('/account/v1/nothing', method))).toBe('404 endpoint_not_found');
  });

  it('answers HEAD like GET without the body, and CONNECT not at all', async () => {
    const connection = await connect();
    connection.send(rawRequest('HEAD', WHOAMI, { 'X-API-Key': key.key }));
    const head = await connection.answer({ hasBody: false });
    expect([head?.status, Number(head?.headers['content-length']) > 100]).toEqual([200, true]);
    connection.send(rawRequest('HEAD', WHOAMI));
    expect((await connection.answer({ hasBody: false }))?.status).toBe(401);
    expect(await (await connect()).send(rawRequest('CONNECT', 'example.com:443')).rest()).toEqual([]);
  });

  it('is resolved from the socket address, whatever forwarding headers say', async () => {
    const spoofed = {
      'X-API-Key': key.key,
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
      'X-Real-IP': '203.0.113.9',
      'CF-Connecting-IP': '203.0.113.9',
      'True-Client-IP': '203.0.113.9',
    };
    const answer = await ask(rawRequest('GET', WHOAMI, spoofed));
    expect(JSON.parse(answer.body)).toMatchObject({ client: { ip: '127.0.0.1' } });
  });
});
