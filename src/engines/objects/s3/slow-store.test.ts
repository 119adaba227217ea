/** The store in S3 at a server that keeps its clients waiting: it sends, or reads, a few bytes now and then. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { EngineUnreachable } from '../../errors.ts';
import { S3Store } from './driver.ts';

const TRIES = 3;
const MIB = 1024 * 1024;
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

/** Does this every few milliseconds, until the connection is closed. */
function repeat(connection: { on(event: 'close', listener: () => void): unknown }, act: () => void): void {
  const timer = setInterval(act, 5);
  connection.on('close', () => clearInterval(timer));
}

const storeWith = (limits: Partial<NonNullable<ConstructorParameters<typeof S3Store>[0]['limits']>>) =>
  new S3Store({
    location: 'fra1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'here',
    bucket: 'b',
    accessKeyFile: join(folder, 'key'),
    secretKeyFile: join(folder, 'key'),
    authorityFile: null,
    megabytesPerSecond: null,
    limits: { silenceMs: 60_000, totalMs: 60_000, ...limits },
  });

const rate = { bytesPerSecond: 100 * MIB, windowMs: 200 };

it('a download that arrives a byte at a time is aborted', async () => {
  answer = (_, outgoing) => {
    outgoing.writeHead(200, { 'content-length': '1000000' }).flushHeaders();
    repeat(outgoing, () => outgoing.write('x'));
  };
  const store = storeWith({ rate });
  await expect(store.get('a/1')).rejects.toThrow(EngineUnreachable);
  expect(asked).toBe(TRIES);
  await store.close();
});

it('an upload that is read a few bytes at a time is aborted', async () => {
  answer = (incoming) => {
    incoming.pause();
    repeat(incoming, () => incoming.read(100));
  };
  const store = storeWith({ rate });
  await expect(store.put('a/1', Buffer.alloc(32 * MIB))).rejects.toThrow(EngineUnreachable);
  expect(asked).toBe(TRIES);
  await store.close();
});

it('an answer without an end is aborted after the total time', async () => {
  answer = (_, outgoing) => {
    outgoing.writeHead(200).flushHeaders();
    repeat(outgoing, () => outgoing.write('x'));
  };
  const store = storeWith({ totalMs: 200 });
  await expect(store.list('a/')).rejects.toThrow(EngineUnreachable);
  expect(asked).toBe(TRIES);
  await store.close();
});

it('an upload to a server that reads steadily succeeds', async () => {
  let bytes = 0;
  answer = (incoming, outgoing) => {
    incoming.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    incoming.on('end', () => outgoing.writeHead(200).end());
  };
  const store = storeWith({ rate: { bytesPerSecond: 1000, windowMs: 60_000 } });
  await store.put('a/1', Buffer.alloc(8 * MIB));
  expect([bytes, asked]).toEqual([8 * MIB, 1]);
  await store.close();
});
