import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { Client } from './client.ts';

const IDLE_MS = 100;

let folder: string;
let server: Server;
let client: Client;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const socket = join(folder, 'engine.socket');
  server = createServer(async (_, response) => {
    await wait(3 * IDLE_MS);
    response.end(JSON.stringify({ type: 'sync', metadata: 'late' }));
  });
  server.listen(socket);
  await once(server, 'listening');
  client = new Client({ url: `unix://${socket}`, credentials: null }, IDLE_MS);
});
afterAll(async () => {
  client.close();
  server.close();
  await removeTemporaryFolder(folder);
});

it('waits for an answer longer than it keeps an idle connection open', async () => {
  for (let i = 0; i < 2; i++) {
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const asked = client.ask('GET', '/1.0');
    const [socket] = await connected;
    const closed = once(socket, 'close');
    expect(await asked).toBe('late');
    await closed;
  }
});
