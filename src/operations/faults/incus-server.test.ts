/** The product itself, killed while it makes real machines. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshAddress } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { startDaemon, type TestDaemon } from '../../testing/incus/daemon.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { furnishForDemo, LOCATION, SYSTEM, writeProvider } from '../../testing/incus/provider.ts';
import { type ServerProcess, startServerOrFail } from '../../testing/server-process.ts';

const reason = whyNoIncus('incus');
const MACHINES = 6;
const KILLS = 2;
/** What a killed server was at is taken up when its lease has run out. */
const PATIENCE = { timeout: 120_000 };
const TIMEOUT_MS = 300_000;

interface Machine {
  readonly id: string;
  readonly status: string;
  readonly hostname: string;
  readonly primary_ipv4: string;
}

describe.skipIf(reason !== null)(`a server that is killed${reason === null ? '' : `: ${reason}`}`, () => {
  let daemon: TestDaemon;
  let temporary: string;
  let server: ServerProcess;
  let key: string;
  const start = (): Promise<ServerProcess> =>
    startServerOrFail(join(temporary, 'data'), { HOSTPLANE_CONFIG: join(temporary, 'provider.yaml') });
  beforeAll(async () => {
    daemon = await startDaemon('incus');
    await furnishForDemo(daemon);
    temporary = await makeTemporaryFolder();
    await writeFile(join(temporary, 'provider.yaml'), writeProvider(daemon));
    server = await start();
    key = server.apiKey ?? '';
  });
  afterAll(async () => {
    await server?.end('SIGTERM');
    await daemon?.stop();
    await removeTemporaryFolder(temporary);
  });

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = {
      'x-api-key': key,
      'x-forwarded-for': freshAddress(),
      'content-type': 'application/json',
    };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await fetch(`${server.url}/flexible-vps/v1/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  const machines = async () => (await call<{ data: readonly Machine[] }>('GET', 'vms?limit=100')).data;
  const instances = async (): Promise<string[]> => {
    const query = { recursion: 1, 'all-projects': 'true' };
    const all = await daemon.client.ask<{ name: string }[]>('GET', '/1.0/instances', { query });
    return all.map(({ name }) => name.replace('-', '_')).sort();
  };
  const kill = async (): Promise<void> => {
    await server.end('SIGKILL');
    server = await start();
  };

  it(
    'goes on where it was: each machine is made once, and each goes',
    async () => {
      const body = { location: LOCATION, plan: 'flex-1-1', source: { type: 'image', image_id: SYSTEM } };
      const user_data = '#cloud-config\n';
      for (let i = 0; i < MACHINES; i++) await call('POST', 'vms', { ...body, name: `m-${i}`, user_data });
      for (let i = 0; i < KILLS; i++) {
        await expect.poll(async () => (await instances()).length, PATIENCE).toBeGreaterThan(i);
        await kill();
      }
      const running = async () => (await machines()).filter(({ status }) => status === 'running').length;
      await expect.poll(running, PATIENCE).toBe(MACHINES);
      const all = await machines();
      expect(await instances()).toEqual(all.map(({ id }) => id).sort());
      expect(new Set(all.map((vm) => vm.primary_ipv4)).size).toBe(MACHINES);
      for (const { primary_ipv4, hostname } of all)
        await expect.poll(() => daemon.fetch(`http://${primary_ipv4}/`), PATIENCE).toContain(hostname);
      for (const { id } of all) await call('DELETE', `vms/${id}`);
      await expect.poll(async () => (await instances()).length, PATIENCE).toBeLessThan(MACHINES);
      await kill();
      await expect.poll(machines, PATIENCE).toEqual([]);
      expect(await instances()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
