/** Downloads over real connections, by clients that read slowly or not at all. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestApp, freshAddress, type TestApp } from '../../../testing/app.ts';
import { makeLargeBackup, openDownload, pathOf } from '../../../testing/large-backup.ts';
import { VpsAccount } from '../../../testing/vps.ts';

let app: TestApp;
let port: number;
let isOpen: boolean;

async function start(megabytes_per_second: number | null): Promise<void> {
  app = await createTestApp({
    provider: (config) => ({
      ...config,
      catalogue: {
        ...config.catalogue,
        locations: config.catalogue.locations.map((location) => ({
          ...location,
          backups: location.backups && { ...location.backups, megabytes_per_second },
        })),
      },
    }),
  });
  await app.app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.app.server.address() as AddressInfo).port;
  isOpen = true;
}
afterEach(async () => {
  if (isOpen) await app.close();
});

/** The path of a link to a backup of this size, of a new account. */
async function linkTo(bytes?: number): Promise<string> {
  const mine = await VpsAccount.open(app);
  const answer = await mine.send('POST', `backups/${await makeLargeBackup(mine, bytes)}/download`, {});
  return pathOf(answer.json());
}

const open = (path: string) => openDownload(port, path);

describe('a download', () => {
  it('503: a fifth download of an account, while other accounts are served', async () => {
    await start(null);
    const [mine, theirs] = [await linkTo(), await linkTo()];
    const running = await Promise.all(Array.from({ length: 4 }, () => open(mine)));
    expect(running.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const fifth = await open(mine);
    expect(fifth.statusCode).toBe(503);
    expect(fifth.headers).toMatchObject({
      'retry-after': '30',
      'content-type': expect.stringMatching('problem'),
    });
    expect(fifth.headers).not.toHaveProperty('content-disposition');
    fifth.destroy();
    const other = await open(theirs);
    expect(other.statusCode).toBe(200);
    other.destroy();
    // A client that leaves makes room.
    running[0]?.destroy();
    const next = await open(mine);
    expect(next.statusCode).toBe(200);
    for (const each of [...running, next]) each.destroy();
  });

  it('does not keep the server from stopping, and the client notices the incomplete transfer', async () => {
    await start(null);
    const response = await open(await linkTo());
    const cut = once(response, 'error');
    await app.close();
    isOpen = false;
    response.resume();
    await cut;
  });

  it('is limited to the bandwidth that the provider configured', async () => {
    await start(1);
    const path = await linkTo(300_000);
    const before = performance.now();
    const answer = await app.app.inject(path);
    expect(answer.rawPayload).toHaveLength(300_000);
    // The last of five slices waits for the four before it: 262,144 bytes at 1 MB/s.
    expect(performance.now() - before).toBeGreaterThan(250);
  });

  it('429: from an address that has used up its rate limit', async () => {
    await start(null);
    const remoteAddress = freshAddress();
    for (let i = 0; i < 200; i++) await app.services.limiter.take(remoteAddress);
    const answer = await app.app.inject({ url: '/downloads/bkp_x?token=x', remoteAddress });
    expect(answer.json()).toMatchObject({ code: 'rate_limited' });
  });
});
