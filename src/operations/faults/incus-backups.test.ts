/** Kills the Hostplane server while it stores the backup of a real machine in S3. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '../../engines/compute/incus/names.ts';
import { freshAddress } from '../../testing/app.ts';
import { startCeph, type TestCeph, whyNoCeph } from '../../testing/ceph.ts';
import { type FaultyStore, openFaultyStore } from '../../testing/faulty-store.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { startDaemon, type TestDaemon } from '../../testing/incus/daemon.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { furnishForDemo, LOCATION, SYSTEM, writeProvider } from '../../testing/incus/provider.ts';
import { makeBucket, type TestBucket } from '../../testing/s3-bucket.ts';
import { type ServerProcess, startServerOrFail } from '../../testing/server-process.ts';

const reason = whyNoIncus('incus') ?? whyNoCeph();
/** The new server resumes the operations of a killed server only after their leases have expired. */
const PATIENCE = { timeout: 120_000 };
const TIMEOUT_MS = 300_000;
const PART_BYTES = 8 * 1024 * 1024;

interface Backup {
  readonly id: string;
  readonly status: string;
  readonly size_bytes: number;
}

describe.skipIf(reason !== null)(
  `a backup while the server is killed${reason === null ? '' : `: ${reason}`}`,
  () => {
    let ceph: TestCeph;
    let proxy: FaultyStore;
    let bucket: TestBucket;
    let daemon: TestDaemon;
    let temporary: string;
    let server: ServerProcess;
    let key: string;
    const start = (): Promise<ServerProcess> =>
      startServerOrFail(join(temporary, 'data'), { HOSTPLANE_CONFIG: join(temporary, 'provider.yaml') });

    beforeAll(async () => {
      ceph = await startCeph();
      proxy = await openFaultyStore(ceph.endpoint);
      bucket = await makeBucket(ceph, proxy.endpoint);
      daemon = await startDaemon('incus');
      await furnishForDemo(daemon);
      temporary = await makeTemporaryFolder();
      const file = JSON.parse(writeProvider(daemon)) as { catalogue: { locations: object[] } };
      // Slow enough that the upload of a part can be interrupted.
      const backups = { ...bucket.setting, megabytes_per_second: 4 };
      file.catalogue.locations = file.catalogue.locations.map((location) => ({ ...location, backups }));
      await writeFile(join(temporary, 'provider.yaml'), JSON.stringify(file));
      server = await start();
      key = server.apiKey ?? '';
    });
    afterAll(async () => {
      await server?.end('SIGTERM');
      await daemon?.stop();
      await proxy?.close();
      await bucket?.close();
      await ceph?.stop();
      await removeTemporaryFolder(temporary);
    });

    async function call<T>(method: string, path: string, body?: object): Promise<T> {
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          'x-api-key': key,
          'x-forwarded-for': freshAddress(),
          'content-type': 'application/json',
          prefer: 'wait=60',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    }
    const puts = (): string[] => proxy.seen.filter((each) => each.startsWith('PUT '));

    it(
      'goes on with the part that is missing, and leaves nothing at the engine',
      async () => {
        const vm = await call<{ id: string }>('POST', '/flexible-vps/v1/vms', {
          name: 'm-1',
          location: LOCATION,
          plan: 'flex-1-1',
          user_data: '#cloud-config\n',
          source: { type: 'image', image_id: SYSTEM },
        });
        const { account } = await call<{ account: { id: string } }>('GET', '/account/v1/whoami');
        const fill = ['sh', '-c', 'dd if=/dev/urandom of=/root/much bs=1024 count=40960; sync'];
        await daemon.client.run('POST', `/1.0/instances/${nameOf(vm.id)}/exec`, {
          project: nameOf(account.id),
          body: { command: fill, 'wait-for-websocket': false, interactive: false },
        });
        const images = async () => (await daemon.client.ask<string[]>('GET', '/1.0/images')).length;
        const before = await images();

        const making = call('POST', '/flexible-vps/v1/backups', { vm_id: vm.id }).catch(() => null);
        for (const sent of [2, 4]) {
          await expect.poll(() => puts().length, PATIENCE).toBeGreaterThanOrEqual(sent);
          await server.end('SIGKILL');
          server = await start();
        }
        await making;
        const list = async () => (await call<{ data: Backup[] }>('GET', '/flexible-vps/v1/backups')).data;
        await expect.poll(async () => (await list())[0]?.status, PATIENCE).toBe('available');
        const [backup] = await list();
        const parts = Math.ceil((backup?.size_bytes ?? 0) / PART_BYTES);
        expect(parts).toBeGreaterThan(4);
        expect(new Set(puts()).size).toBe(parts);
        // Each kill interrupts one part at most. One more may be stored and not noted yet.
        expect(puts().length).toBeLessThanOrEqual(parts + 2 * 2);
        expect(await images()).toBe(before);
      },
      TIMEOUT_MS,
    );
  },
);
