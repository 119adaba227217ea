/** Servers that are reached through the proxy that HTTPS_PROXY names. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proxyFor } from './http/proxy.ts';
import { openSite, type Ran, type Site } from './testing/site.ts';

const file = (name: string): string =>
  fileURLToPath(new URL(`../../src/testing/fixtures/${name}`, import.meta.url));
const tls = { certificate: file('localhost.crt'), key: file('localhost.key') };

let site: Site;
let proxy: Server;
let address: string;
/** Where clients wanted to be led, and as whom. */
let asked: (readonly [string | undefined, string | undefined])[];
let status: number;
beforeAll(async () => {
  site = await openSite({ server: { tls } });
  proxy = createServer();
  proxy.on('connect', ({ url, headers }, client) => {
    asked.push([url, headers['proxy-authorization']]);
    client.on('error', () => undefined);
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    // The name is found only here, so a client that goes there itself fails.
    const server = connect(Number(new URL(site.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    return server.on('error', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await site.close();
});
beforeEach(() => {
  asked = [];
  status = 200;
});

const place = (): string => new URL(site.url).port;
const list = (env: Readonly<Record<string, string>>): Promise<Ran> =>
  site.line(`location list -o name --ca-file ${tls.certificate}`, {
    env: { HOSTPLANE_URL: `https://localhost:${place()}`, ...env },
  });

describe('a proxy', () => {
  it('carries the calls, encrypted from end to end, with its own user and password', async () => {
    const { code, out, err } = await list({ HTTPS_PROXY: `http://me:a%20b@${address}` });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Frankfurt');
    expect(asked[0]).toEqual([`localhost:${place()}`, `Basic ${btoa('me:a b')}`]);
  });

  it('is not used for hosts in NO_PROXY', async () => {
    const { code } = await list({ https_proxy: address, no_proxy: 'other.example,localhost' });
    expect([code, asked]).toEqual([0, []]);
  });

  it('9: that refuses is named with its answer', async () => {
    status = 407;
    const { code, err } = await list({ HTTPS_PROXY: address });
    expect([code, err]).toEqual([
      9,
      `The proxy ${address} refused the connection to localhost:${place()} (407). Check HTTPS_PROXY; NO_PROXY names hosts that need no proxy.\n`,
    ]);
  });

  it('9: that does not answer is named', async () => {
    const { code, err } = await list({ HTTPS_PROXY: 'http://127.0.0.1:1' });
    expect([code, err]).toEqual([
      9,
      expect.stringContaining('The proxy 127.0.0.1:1 does not answer (ECONNREFUSED)'),
    ]);
  });

  it('9: with an invalid address is named', async () => {
    const { code, err } = await list({ HTTPS_PROXY: 'socks5://127.0.0.1:1' });
    expect([code, err]).toEqual([9, expect.stringContaining('HTTPS_PROXY is no address of an HTTP proxy')]);
  });

  it.each([
    ['https://api.example.com', '', true],
    ['http://api.example.com', '', false],
    ['https://api.example.com', 'example.com', false],
    ['https://api.example.com', '.example.com', false],
    ['https://api.example.com', '*.example.com', false],
    ['https://api.example.com', 'ample.com', true],
    ['https://api.example.com', 'api.example.com:443', false],
    ['https://api.example.com', 'api.example.com:8443', true],
    ['https://[::1]:8443', '::1', false],
    ['https://10.0.0.1', ' 10.0.0.1 , b', false],
    ['https://api.example.com', '*', false],
  ])('leads to %s with NO_PROXY=%j: %s', (url, no_proxy, isUsed) => {
    const found = proxyFor(url, { HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: no_proxy });
    expect(found?.href).toBe(isUsed ? 'http://proxy.example:3128/' : undefined);
  });
});
