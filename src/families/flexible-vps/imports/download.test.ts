import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Egress } from '../../../kernel/net/egress.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import {
  type Answering,
  createReceiver,
  type Receiver,
  receiverCertificate,
  receiverKey,
  withStatus,
} from '../../../testing/receiver.ts';
import { type Fetching, fetchFile } from './download.ts';

let receiver: Receiver;
let folder: string;
beforeAll(async () => {
  receiver = await createReceiver();
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await receiver.close();
  await removeTemporaryFolder(folder);
});

const egress = new Egress({ allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate });

/** Calls the server, which answers in this way each time. */
function fetched(answering: Answering, more: Partial<Fetching> = {}) {
  receiver.answer(answering);
  return fetchFile(egress, new URL(`https://localhost:${receiver.port}/`), join(folder, 'file'), {
    maxBytes: 1000,
    mostMs: 30_000,
    signal: AbortSignal.timeout(30_000),
    reserve: async () => undefined,
    onProgress: () => undefined,
    ...more,
  });
}

/** Sends these bytes again and again, until the connection is closed. */
const dripping =
  (bytes: string, headers: Record<string, string> = {}): Answering =>
  (response) => {
    response.writeHead(200, headers).flushHeaders();
    const drops = setInterval(() => response.write(bytes), 5);
    response.on('close', () => clearInterval(drops));
  };

it.each(['http://localhost/', 'https://me:secret@localhost/'])(
  'follows no redirect to %s',
  async (location) => {
    await expect(fetched(withStatus(307, { location }))).rejects.toMatchObject({
      code: 'fetch_failed',
      message: 'localhost redirects to an address that is not allowed: use https, without user and password.',
    });
  },
);

it('stops at the size limit, also if the server does not announce a size', async () => {
  const chunked =
    (bytes: number): Answering =>
    (response) => {
      response.writeHead(200).flushHeaders();
      response.end(Buffer.alloc(bytes));
    };
  expect(await fetched(chunked(1000))).toMatchObject({ bytes: 1000 });
  await expect(fetched(chunked(1001))).rejects.toMatchObject({ code: 'too_large' });
});

const patient = { silenceMs: 60_000, totalMs: 60_000 };

it('gives up if the server sends only a byte now and then', async () => {
  const limits = { ...patient, rate: { bytesPerSecond: 64 * 1024, windowMs: 300 } };
  await expect(fetched(dripping('x'), { limits, maxBytes: 1e9 })).rejects.toMatchObject({
    code: 'too_slow',
    message:
      'localhost sent less than 64 KiB per second over 60 seconds. Put the file on a faster server, or make it smaller, and import it again.',
  });
});

it('gives up after the total time of a download', async () => {
  const limits = { ...patient, rate: { bytesPerSecond: 1, windowMs: 60_000 } };
  const answering = dripping('x', { 'content-length': '1000000' });
  await expect(fetched(answering, { limits, maxBytes: 1e9, mostMs: 300 })).rejects.toMatchObject({
    code: 'too_slow',
    message: expect.stringContaining(
      'did not send the whole file in the time that a file of its size may take',
    ),
  });
});

it('gives up if the headers do not end', async () => {
  const server = createServer({ cert: receiverCertificate, key: receiverKey }, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    const drops = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => clearInterval(drops)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`https://localhost:${port}/`);
  const fetching = {
    maxBytes: 1000,
    mostMs: 60_000,
    limits: { ...patient, silenceMs: 300 },
    signal: AbortSignal.timeout(60_000),
    reserve: async () => undefined,
    onProgress: () => undefined,
  };
  await expect(fetchFile(egress, url, join(folder, 'file'), fetching)).rejects.toMatchObject({
    code: 'timeout',
    message: 'localhost sent no data for too long.',
  });
  server.close();
});
