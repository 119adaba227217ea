/** No header goes unseen: a request with too many headers is refused, whatever it asks for. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMIT } from '../../kernel/rate-limit/port.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../../testing/app.ts';
import { openRaw, type RawAnswer, rawRequest } from '../../testing/raw-http.ts';
import { serveOpenapi } from '../openapi/routes.ts';
import { openExchange } from './exchange.ts';
import { createServer } from './server.ts';
import { serveSystem } from './system.ts';

const WHOAMI = '/account/v1/whoami';
const MOST = 100;
/** More than Node keeps by default. */
const FLOOD = 1_100;

let t: TestApp;
let server: FastifyInstance;
let key: string;
let port: number;

beforeAll(async () => {
  const provider = (config: ProviderConfig) => ({
    ...config,
    server: { ...config.server, trusted_proxies: ['127.0.0.1/32'] },
  });
  t = await createTestApp({ provider });
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
  server = createServer(t.services);
  serveSystem(server, t.services, t.running.health);
  serveOpenapi(server, t.services, openExchange);
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await server.close();
  await t.close();
});

type Lines = readonly (readonly [string, string])[];

const fillers = (count: number): Lines => Array.from({ length: count }, () => ['a', ''] as const);

async function send(path: string, lines: Lines, method = 'GET'): Promise<RawAnswer> {
  const head = lines.map(([name, value]) => `${name}:${value}\r\n`).join('');
  const connection = await openRaw(port);
  const answer = await connection.send(`${method} ${path} HTTP/1.1\r\n${head}\r\n`).answer();
  connection.end();
  if (answer === undefined) throw new Error(`${method} ${path} got no answer.`);
  return answer;
}

const codeOf = ({ status, body }: RawAnswer): string => `${status} ${JSON.parse(body).code ?? ''}`;
const left = async (address: string): Promise<number> =>
  (await t.services.limiter.peek(address))?.remaining ?? LIMIT;

describe('behind a trusted proxy', () => {
  it('the address that the proxy appends after 1,100 headers is counted, and the request is refused', async () => {
    const client = freshAddress();
    const proxy = await left('127.0.0.1');
    const answer = await send(WHOAMI, [
      ['Host', 'a'],
      ['X-API-Key', key],
      ...fillers(FLOOD),
      ['X-Forwarded-For', client],
    ]);
    expect(codeOf(answer)).toBe('431 headers_too_large');
    expect([await left(client), await left('127.0.0.1')]).toEqual([LIMIT - 1, proxy]);
  });

  it('a second API key after 1,100 headers is not overlooked', async () => {
    const second = ['X-API-Key', key] as const;
    const lines: Lines = [['Host', 'a'], ['X-API-Key', key], ...fillers(FLOOD), second];
    expect(codeOf(await send(WHOAMI, [...lines, ['X-Forwarded-For', freshAddress()]]))).toBe(
      '431 headers_too_large',
    );
  });

  it('the last header within the limit is read', async () => {
    const client = freshAddress();
    const lines: Lines = [
      ['Host', 'a'],
      ['X-API-Key', key],
      ...fillers(MOST - 3),
      ['X-Forwarded-For', client],
    ];
    const answer = await send(WHOAMI, lines);
    expect([answer.status, JSON.parse(answer.body).client.ip]).toEqual([200, client]);
    expect(codeOf(await send(WHOAMI, [...lines, ['a', '']]))).toBe('431 headers_too_large');
  });
});

const websocket: Lines = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

describe('too many headers are refused with a problem', () => {
  it.each<[string, string, Lines, string?]>([
    ['for a page beside the API', '/openapi.json', []],
    ['for a probe', '/healthz', []],
    ['for the metrics', '/metrics', []],
    ['for no page at all', '/nowhere', []],
    ['for a console', '/console/con_01jqzv2m7xe9rs5d3k8w4t6y0b', websocket],
    ['with an upgrade that is not offered', WHOAMI, websocket],
    ['with an expectation', WHOAMI, [['Expect', 'a-miracle']]],
    ['without a host', WHOAMI, [], ''],
  ])('%s', async (_, path, lines, host = 'a') => {
    const answer = await send(path, [
      ...(host ? [['Host', host] as const] : []),
      ...lines,
      ...fillers(FLOOD),
    ]);
    expect(codeOf(answer)).toBe('431 headers_too_large');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(JSON.parse(answer.body).next_step).toContain('fewer');
  });

  it('also when they are too large for Node to read', async () => {
    const connection = await openRaw(port);
    const answers = await connection
      .send(rawRequest('GET', WHOAMI, { 'X-Other': 'a'.repeat(17_000) }))
      .rest();
    expect(answers.map(codeOf)).toEqual(['431 headers_too_large']);
  });
});
