/** Starts a real PowerDNS with an SQLite database on free loopback ports, with its HTTP API. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';
import { freePort } from './free-port.ts';
import { findProgram } from './incus/programs.ts';

const run = promisify(execFile);

const SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** Why no PowerDNS can be started on this host, or `null` if one can. */
export function whyNoPowerDns(): string | null {
  const missing = [
    ...(findProgram('pdns_server') === undefined ? ['pdns-server'] : []),
    ...(existsSync(SCHEMA) ? [] : ['pdns-backend-sqlite3']),
    ...(findProgram('sqlite3') === undefined ? ['sqlite3'] : []),
  ];
  return missing.length === 0 ? null : `install ${missing.join(', ')}`;
}

export interface TestPowerDns {
  readonly url: string;
  /** Where it answers queries. */
  readonly nameserver: string;
  readonly key: string;
  readonly keyFile: string;
  /** A request to the API that bypasses the driver. */
  api(method: string, path: string, body?: object): Promise<unknown>;
  makeZone(name: string, kind?: string): Promise<void>;
  removeZone(name: string): Promise<void>;
  /** The names that it answers with, asked by DNS. None if there is no such record. */
  ask(reverseName: string): Promise<string[]>;
  /** Ends it without notice; `start` starts it again at the same ports. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops it from answering while its connections stay open, until `resume` is called. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

interface Setting {
  readonly folder: string;
  readonly key: string;
  readonly api: number;
  readonly dns: number;
}

/** Without caches, so that what was written is answered at once. It sends nothing to other servers. */
const configOf = ({ folder, key, api, dns }: Setting): string => `
launch=gsqlite3
gsqlite3-database=${folder}/db.sqlite
gsqlite3-pragma-foreign-keys=yes
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1:${dns}
socket-dir=${folder}
api=yes
api-key=${key}
webserver=yes
webserver-address=127.0.0.1
webserver-port=${api}
webserver-allow-from=127.0.0.1
daemon=no
guardian=no
disable-syslog=yes
write-pid=no
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
zone-metadata-cache-ttl=0
default-soa-content=ns1.example.net. hostmaster.@ 0 10800 3600 604800 3600
security-poll-suffix=
`;

export async function startPowerDns(): Promise<TestPowerDns> {
  const folder = await makeTemporaryFolder();
  const setting: Setting = { folder, key: 'testkey', api: await freePort(), dns: await freePort() };
  const keyFile = join(folder, 'api-key');
  const database = join(folder, 'db.sqlite');
  await writeFile(keyFile, `${setting.key}\n`);
  await writeFile(join(folder, 'pdns.conf'), configOf(setting));
  await run(findProgram('sqlite3') ?? 'sqlite3', [database, `.read ${SCHEMA}`]);
  const url = `http://127.0.0.1:${setting.api}`;
  const nameserver = `127.0.0.1:${setting.dns}`;
  let child: ChildProcess | undefined;
  const end = (): void => void child?.kill('SIGKILL');
  process.once('exit', end);

  const api = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v1/servers/localhost${path}`, {
      method,
      headers: { 'x-api-key': setting.key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const start = async (): Promise<void> => {
    const program = findProgram('pdns_server') ?? 'pdns_server';
    const started = spawn(program, [`--config-dir=${folder}`], { stdio: 'ignore' });
    child = started;
    while (!(await api('GET', '').then(Boolean, () => false))) {
      if (started.exitCode !== null) throw new Error(`PowerDNS ended with ${started.exitCode}.`);
      await wait(20);
    }
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();

  return {
    url,
    nameserver,
    key: setting.key,
    keyFile,
    api,
    async makeZone(name, kind = 'Native') {
      const masters = kind === 'Slave' ? { masters: ['127.0.0.1:9'] } : { nameservers: ['ns1.example.net.'] };
      await api('POST', '/zones', { name, kind, ...masters });
    },
    async removeZone(name) {
      await api('DELETE', `/zones/${name}`);
    },
    async ask(reverseName) {
      const resolver = new Resolver({ timeout: 5_000, tries: 4 });
      resolver.setServers([nameserver]);
      return resolver.resolve(reverseName.replace(/\.$/, ''), 'PTR').catch((error: { code?: string }) => {
        if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
        throw error;
      });
    },
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      process.off('exit', end);
      await kill();
      await removeTemporaryFolder(folder);
    },
  };
}
