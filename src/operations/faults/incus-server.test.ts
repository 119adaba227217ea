/** Kills the Hostplane server while it creates real machines and deletes others. */
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
const OLD = 3;
const NEW = 5;
const KILLS = 2;
/** The new server resumes the operations of a killed server only after their leases have expired. */
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
  let serial = 0;
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

  async function order(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const body = {
        name: `m-${++serial}`,
        location: LOCATION,
        plan: 'flex-1-1',
        user_data: '#cloud-config\n',
      };
      const source = { type: 'image', image_id: SYSTEM };
      ids.push((await call<{ id: string }>('POST', 'vms', { ...body, source })).id);
    }
    return ids.sort();
  }
  const statuses = async () => (await machines()).map(({ id, status }) => `${id} ${status}`).sort();
  const untilRunning = (ids: readonly string[]) =>
    expect.poll(statuses, PATIENCE).toEqual(ids.map((id) => `${id} running`));

  it(
    'continues after the restart: each machine is created once, and each is deleted',
    async () => {
      const old = await order(OLD);
      await untilRunning(old);
      const ids = await order(NEW);
      for (const id of old) await call('DELETE', `vms/${id}`);
      const made = async () => (await instances()).filter((id) => ids.includes(id)).length;
      for (let i = 0; i < KILLS; i++) {
        await expect.poll(made, PATIENCE).toBeGreaterThan(i);
        await kill();
      }
      await untilRunning(ids);
      expect(await instances()).toEqual(ids);
      const all = await machines();
      expect(new Set(all.map((vm) => vm.primary_ipv4)).size).toBe(NEW);
      for (const { primary_ipv4, hostname } of all)
        await expect.poll(() => daemon.fetch(`http://${primary_ipv4}/`), PATIENCE).toContain(hostname);
    },
    TIMEOUT_MS,
  );
});
