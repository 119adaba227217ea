import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Egress } from '../../../kernel/net/egress.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import {
  type Answering,
  createReceiver,
  type Receiver,
  receiverCertificate,
  withStatus,
} from '../../../testing/receiver.ts';
import { fetchFile } from './download.ts';

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
function fetched(answering: Answering) {
  receiver.answer(answering);
  return fetchFile(egress, new URL(`https://localhost:${receiver.port}/`), join(folder, 'file'), {
    maxBytes: 1000,
    signal: AbortSignal.timeout(30_000),
    onProgress: () => undefined,
  });
}

it.each(['http://localhost/', 'https://me:secret@localhost/'])(
  'follows no redirect to %s',
  async (location) => {
    await expect(fetched(withStatus(307, { location }))).rejects.toMatchObject({
      code: 'fetch_failed',
      message: 'localhost redirects to an address that is not allowed: use https, without user and password.',
    });
  },
);

it('takes no more than is allowed, also if the server does not say how much it sends', async () => {
  const chunked =
    (bytes: number): Answering =>
    (response) => {
      response.writeHead(200).flushHeaders();
      response.end(Buffer.alloc(bytes));
    };
  expect(await fetched(chunked(1000))).toMatchObject({ bytes: 1000 });
  await expect(fetched(chunked(1001))).rejects.toMatchObject({ code: 'too_large' });
});
