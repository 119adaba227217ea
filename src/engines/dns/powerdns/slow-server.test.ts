/** The driver at a server that keeps its clients waiting, lies, or cuts connections. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { EngineUnreachable } from '../../errors.ts';
import { PowerDns } from './driver.ts';

let folder: string;
let server: Server;
let answer: RequestListener;
let asked = 0;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  await writeFile(join(folder, 'key'), 'key');
  server = createServer((incoming, outgoing) => {
    asked++;
    answer(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  asked = 0;
});
afterEach(() => server.closeAllConnections());
afterAll(async () => {
  server.close();
  await removeTemporaryFolder(folder);
});

const open = (limits = { silenceMs: 60_000, totalMs: 60_000 }) =>
  new PowerDns({
    location: 'fra1',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKeyFile: join(folder, 'key'),
    authorityFile: null,
    nameserver: null,
    resolver: null,
    limits,
  });

const record = { hostname: 'web.example.com', ttlSeconds: 300 };
const zone = { id: '2.0.192.in-addr.arpa.', name: '2.0.192.in-addr.arpa.', kind: 'Native' };

describe('a server', () => {
  it('that sends an answer a byte at a time is given up after the total time', async () => {
    answer = (_, outgoing) => {
      outgoing.writeHead(200).flushHeaders();
      const timer = setInterval(() => outgoing.write(' '), 5);
      outgoing.on('close', () => clearInterval(timer));
    };
    const engine = open({ silenceMs: 60_000, totalMs: 200 });
    await expect(engine.observePtrs('192.0.2.0/24')).rejects.toThrow(EngineUnreachable);
    expect(asked).toBe(1);
    await engine.close();
  });

  it.each<[string, RequestListener]>([
    ['cuts the connection', (incoming) => incoming.destroy()],
    [
      'cuts the connection within its answer',
      (_, outgoing) => {
        outgoing.writeHead(200, { 'content-length': '1000' });
        outgoing.write('[', () => outgoing.destroy());
      },
    ],
    ['answers with a page', (_, outgoing) => outgoing.end('<html>It works!</html>')],
    ['answers with something else than a list', (_, outgoing) => outgoing.end('{"zones":1}')],
    ['answers with an error', (_, outgoing) => outgoing.writeHead(500).end('Internal Server Error')],
    ['has no such API', (_, outgoing) => outgoing.writeHead(404).end('Not Found')],
  ])('that %s counts as unreachable', async (_, listener) => {
    answer = listener;
    const engine = open();
    await expect(engine.ensurePtr('192.0.2.1', record)).rejects.toThrow(EngineUnreachable);
    await expect(engine.observePtr('192.0.2.1')).rejects.toThrow(EngineUnreachable);
    await engine.close();
  });

  it('that has closed an unused connection gets the request again over a new one', async () => {
    const paths: string[] = [];
    answer = ({ method, url, socket }, outgoing) => {
      paths.push(`${method} ${url}`);
      if (paths.length === 2) socket.resetAndDestroy();
      else outgoing.end(JSON.stringify([zone]));
    };
    const engine = open();
    await engine.ensurePtr('192.0.2.1', record);
    const path = 'PATCH /api/v1/servers/localhost/zones/2.0.192.in-addr.arpa.';
    expect(paths.slice(1)).toEqual([path, path]);
    await engine.close();
  });
});
