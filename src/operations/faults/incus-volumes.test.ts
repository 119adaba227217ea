/** Kills the Hostplane server while it moves a volume between real machines. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '../../engines/compute/incus/names.ts';
import { freshAddress } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { startDaemon, type TestDaemon } from '../../testing/incus/daemon.ts';
import { POOL } from '../../testing/incus/furnish.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { furnishForDemo, LOCATION, SYSTEM, writeProvider } from '../../testing/incus/provider.ts';
import { type ServerProcess, startServerOrFail } from '../../testing/server-process.ts';

const reason = whyNoIncus('incus');
const MOVES = 3;
/** The new server resumes the operations of a killed server only after their leases have expired. */
const PATIENCE = { timeout: 180_000 };
const TIMEOUT_MS = 600_000;

interface Volume {
  readonly id: string;
  readonly status: string;
  readonly vm_id: string | null;
  readonly device_path: string;
}

describe.skipIf(reason !== null)(`a volume that moves${reason === null ? '' : `: ${reason}`}`, () => {
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
      prefer: 'wait=60',
    };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await fetch(`${server.url}/flexible-vps/v1/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  const order = async (name: string): Promise<string> => {
    const source = { type: 'image', image_id: SYSTEM };
    const body = { name, location: LOCATION, plan: 'flex-1-1', user_data: '#cloud-config\n', source };
    return (await call<{ id: string }>('POST', 'vms', body)).id;
  };
  const projects = async (): Promise<string> => {
    const all = await daemon.client.ask<{ name: string }[]>('GET', '/1.0/projects', {
      query: { recursion: 1 },
    });
    return all.find(({ name }) => name.startsWith('acc-'))?.name ?? '';
  };
  const holder = async (id: string, project: string): Promise<readonly string[]> => {
    const path = `/1.0/storage-pools/${POOL}/volumes/custom/${nameOf(id)}`;
    const { used_by } = await daemon.client.ask<{ used_by: string[] | null }>('GET', path, { project });
    return (used_by ?? []).map((each) => /instances\/([^?]+)/.exec(each)?.[1] ?? '');
  };
  const file = (vm: string, project: string, path: string): Promise<string> =>
    daemon.client.askText(`/1.0/instances/${nameOf(vm)}/files`, { project, query: { path } });

  it(
    'keeps its data and is on one machine, although the server is killed in between',
    async () => {
      const vms = [await order('one'), await order('two')] as const;
      const body = { name: 'data', location: LOCATION, size_gb: 10, vm_id: vms[0] };
      const { id, device_path } = await call<Volume>('POST', 'volumes', body);
      const project = await projects();
      const text = join(temporary, 'text');
      await writeFile(text, 'precious');
      const ask = { project, query: { path: `${device_path}/note` }, file: text };
      await daemon.client.run('POST', `/1.0/instances/${nameOf(vms[0])}/files`, ask);
      for (let i = 1; i <= MOVES; i++) {
        const [from, to] = [vms[(i - 1) % 2] ?? '', vms[i % 2] ?? ''];
        const action = { type: 'attach', vm_id: to, move: true };
        const moving = call('POST', `volumes/${id}/actions`, action).catch(() => undefined);
        // The engine has begun: the volume has left the first machine.
        const hasLeft = async () => !(await holder(id, project)).includes(nameOf(from));
        await expect.poll(hasLeft, { ...PATIENCE, interval: 5 }).toBe(true);
        await server.end('SIGKILL');
        await moving;
        server = await start();
        const settled = async () => {
          const { status, vm_id } = await call<Volume>('GET', `volumes/${id}`);
          return `${status} ${vm_id}`;
        };
        await expect.poll(settled, PATIENCE).toBe(`attached ${to}`);
        expect(await holder(id, project)).toEqual([nameOf(to)]);
        expect(await file(to, project, `${device_path}/note`)).toBe('precious');
        await expect(file(from, project, `${device_path}/note`)).rejects.toThrow();
      }
    },
    TIMEOUT_MS,
  );
});
