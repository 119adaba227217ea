/** The server ignores an unsupported upgrade offer and answers the request as if the offer were absent. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { openRaw, RawConnection, rawRequest } from '../../testing/raw-http.ts';
import { createServer } from './server.ts';

const file = (name: string): string =>
  fileURLToPath(new URL(`../../testing/fixtures/${name}`, import.meta.url));

let t: TestApp;
let key: string;
let port: number;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  port = (t.app.server.address() as AddressInfo).port;
});
afterAll(() => t.close());

const offer = () => ({
  'X-API-Key': key,
  Connection: 'Upgrade, HTTP2-Settings',
  Upgrade: 'h2c',
  'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
});
const getWhoami = () => rawRequest('GET', '/account/v1/whoami', offer());

describe('an Upgrade header', () => {
  it('does not keep a read from being answered, and the connection ends afterwards', async () => {
    const [answer, ...more] = await (await openRaw(port)).send(getWhoami()).rest();
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(JSON.parse(answer?.body ?? '')).toHaveProperty('account');
    expect(more).toEqual([]);
  });

  it('does not keep a body from being read, in one piece or in many', async () => {
    const body = (name: string) => JSON.stringify({ name, size: 3 });
    const whole = body('whole');
    const connection = await openRaw(port);
    connection.send(
      rawRequest('POST', '/workshop/v1/widgets', { ...offer(), 'Content-Type': 'application/json' }, whole),
    );
    expect(await connection.answer()).toMatchObject({ status: 201 });
    const chunked = await openRaw(port);
    chunked.send(
      rawRequest('POST', '/workshop/v1/widgets', {
        ...offer(),
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      }),
    );
    for (const part of body('parts').match(/.{1,9}/g) ?? [])
      chunked.send(`${part.length.toString(16)}\r\n${part}\r\n`);
    chunked.send('0\r\n\r\n');
    expect(await chunked.answer()).toMatchObject({ status: 201 });
  });

  it('for a WebSocket is ignored where none is served', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'X-API-Key': key };
    const known = await (await openRaw(port)).send(rawRequest('GET', '/account/v1/whoami', upgrade)).answer();
    expect(known?.status).toBe(200);
    const stray = await (await openRaw(port)).send(rawRequest('GET', '/nowhere', upgrade)).answer();
    expect(stray?.status).toBe(404);
  });

  it('may come in many requests at once and over TLS', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => (await openRaw(port)).send(getWhoami()).answer()),
    );
    expect(all.map((answer) => answer?.status)).toEqual(Array(20).fill(200));
    const tls = { certificate: file('localhost.crt'), key: file('localhost.key') };
    const server = createServer(t.services, { tls });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const socket = connectTls({
      port: (server.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(tls.certificate),
    });
    await once(socket, 'secureConnect');
    expect(await new RawConnection(socket).send(getWhoami()).answer()).toMatchObject({ status: 200 });
    await server.close();
  });
});
