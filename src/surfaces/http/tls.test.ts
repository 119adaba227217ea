import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';

const file = (name: string): string =>
  fileURLToPath(new URL(`../../testing/fixtures/${name}`, import.meta.url));
const tls = { certificate: file('localhost.crt'), key: file('localhost.key') };

let t: TestApp;
let port: number;
let key: string;

beforeAll(async () => {
  t = await createTestApp({ server: { tls } });
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const address = t.app.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => t.close());

describe('with a certificate', () => {
  it('200 over HTTPS with the given certificate', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(
        {
          host: 'localhost',
          port,
          path: '/account/v1/whoami',
          ca: readFileSync(tls.certificate),
          headers: { 'x-api-key': key },
          lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it('plain HTTP is not answered, not even by a redirect, because the key would have leaked', async () => {
    const answered = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET /account/v1/whoami HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`);
      });
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(answered).not.toContain('HTTP/1.1');
  });
});
