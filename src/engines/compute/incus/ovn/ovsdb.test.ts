import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../../testing/folder.ts';
import { searchPath, whyNoOvn } from '../../../../testing/incus/programs.ts';
import { EngineUnreachable } from '../../../errors.ts';
import type { Client } from '../client.ts';
import { groupNameOf, labels } from './groups.ts';
import { findLogical } from './logical-network.ts';
import { Northbound, readMap } from './northbound.ts';
import { OvsdbError } from './ovsdb.ts';

const reason = whyNoOvn();
const env = { ...process.env, PATH: searchPath };
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../testing/fixtures/${name}`, import.meta.url));
const [certificate, key] = ['localhost.crt', 'localhost.key'].map(fixture) as [string, string];
const read = (file: string): string => readFileSync(file, 'utf8');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe.skipIf(reason !== null)(`a database of OVN${reason === null ? '' : `: ${reason}`}`, () => {
  let folder: string;
  let port: number;
  let server: ChildProcess;

  async function start(): Promise<void> {
    const socket = join(folder, 'nb.sock');
    server = spawn(
      'ovsdb-server',
      [
        join(folder, 'nb.db'),
        `--remote=punix:${socket}`,
        `--remote=pssl:${port}:127.0.0.1`,
        `--private-key=${key}`,
        `--certificate=${certificate}`,
        `--ca-cert=${certificate}`,
        `--unixctl=${folder}/ctl`,
      ],
      { env, stdio: 'ignore' },
    );
    const northbound = new Northbound({ remotes: [`unix:${socket}`], credentials: null });
    while ((await northbound.find('NB_Global', [], []).catch(() => null)) === null) await sleep(20);
    northbound.close();
  }

  async function stop(): Promise<void> {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    port = await freePort();
    const schema = '/usr/share/ovn/ovn-nb.ovsschema';
    expect(spawnSync('ovsdb-tool', ['create', join(folder, 'nb.db'), schema], { env }).status).toBe(0);
    await start();
  });
  afterAll(async () => {
    await stop();
    await removeTemporaryFolder(folder);
  });

  const remotes = (): string[] => ['tcp:127.0.0.1:1', `ssl:127.0.0.1:${port}`];
  const credentials = { certificate: read(certificate), key: read(key), authority: read(certificate) };

  it('is changed atomically over TLS, also after it was restarted', async () => {
    const northbound = new Northbound({ remotes: remotes(), credentials });
    const row = { name: 'web', external_ids: ['map', [['a', 'b']]] };
    const insert = { op: 'insert', table: 'Port_Group', row };
    await northbound.change([insert]);
    await expect(northbound.change([{ ...insert, row: { name: 'other' } }, insert])).rejects.toThrow(
      OvsdbError,
    );
    await stop();
    await expect(northbound.find('Port_Group', [], ['name'])).rejects.toThrow(EngineUnreachable);
    await start();
    const found = await northbound.find('Port_Group', [], ['name', 'external_ids']);
    expect(found.map(({ name, external_ids }) => [name, readMap(external_ids)])).toEqual([
      ['web', { a: 'b' }],
    ]);
    northbound.close();
  });

  it('is written and waited for until all hosts have applied the change, unless a host is down', async () => {
    const northbound = new Northbound({ remotes: remotes(), credentials });
    const global = async (column: 'nb_cfg' | 'hv_cfg'): Promise<number> =>
      Number((await northbound.find('NB_Global', [], [column]))[0]?.[column]);
    const insert = { op: 'insert', table: 'Port_Group', row: { name: 'waited-for' } };
    await northbound.change([{ op: 'insert', table: 'NB_Global', row: {} }]);
    const before = await global('nb_cfg');
    const ends: string[] = [];
    const settling = northbound.changeAndSettle([insert]).then(() => ends.push('settled'));
    await expect.poll(() => global('nb_cfg'), { interval: 5 }).toBe(before + 1);
    expect(await northbound.find('Port_Group', [['name', '==', 'waited-for']], [])).toHaveLength(1);
    ends.push('written');
    // As the hosts do.
    await northbound.change([{ op: 'update', table: 'NB_Global', where: [], row: { hv_cfg: before + 1 } }]);
    await settling;
    expect(ends).toEqual(['written', 'settled']);
    await northbound.settle();
    expect(await global('hv_cfg')).toBe((await global('nb_cfg')) - 1);
    northbound.close();
  });

  it('returns the names of a network from the group of its rules, while the network exists', async () => {
    const northbound = new Northbound({ remotes: remotes(), credentials });
    const name = 'hp-network';
    const gateway = 'incus-net7-ls-int-lsp-router';
    const onSwitch = { name: 'incus-net7-ls-int', ports: ['named-uuid', 'gateway'] };
    const group = {
      name: groupNameOf('incus-net7', 'inside'),
      ports: ['named-uuid', 'gateway'],
      external_ids: ['map', [[labels.network, name]]],
    };
    await northbound.change([
      { op: 'insert', table: 'Logical_Switch_Port', row: { name: gateway }, 'uuid-name': 'gateway' },
      { op: 'insert', table: 'Logical_Switch', row: onSwitch },
      { op: 'insert', table: 'Port_Group', row: group },
    ]);
    const client = { ask: () => Promise.reject(new EngineUnreachable('asked')) } as unknown as Client;
    const found = () => findLogical({ client, northbound }, name);
    expect(await found()).toMatchObject({ name, prefix: 'incus-net7', gatewayPort: gateway });
    await northbound.change([
      { op: 'delete', table: 'Logical_Switch', where: [['name', '==', onSwitch.name]] },
    ]);
    await expect(found()).rejects.toThrow('asked');
    northbound.close();
  });

  it('is unreachable without a certificate of its authority', async () => {
    const northbound = new Northbound({ remotes: remotes(), credentials: null });
    await expect(northbound.find('NB_Global', [], [])).rejects.toThrow(EngineUnreachable);
    northbound.close();
  });
});
