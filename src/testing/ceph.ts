/** Starts a real Ceph cluster in memory with its S3 service RGW, on free loopback ports. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';
import { freePort } from './free-port.ts';
import { findProgram } from './incus/programs.ts';

const run = promisify(execFile);

/** The programs that are started, and the Debian package of each. */
const needs: Readonly<Record<string, string>> = {
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  radosgw: 'radosgw',
  ceph: 'ceph-common',
};

/** Why no Ceph can be started on this host, or `null` if one can. */
export function whyNoCeph(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start one';
  const missing = Object.entries(needs).filter(([program]) => findProgram(program) === undefined);
  return missing.length === 0 ? null : `install ${missing.map(([, name]) => name).join(', ')}`;
}

export interface S3User {
  readonly uid: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface TestCeph {
  readonly endpoint: string;
  makeUser(): Promise<S3User>;
  /** Limits the bytes of each bucket of the user. */
  limit(user: S3User, bytes: number): Promise<void>;
  stop(): Promise<void>;
}

/** Without the short intervals of Paxos a start takes ten times as long. */
const configOf = (folder: string, monPort: number, rgwPort: number): string => `[global]
fsid = ${randomUUID()}
mon host = v1:127.0.0.1:${monPort}
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
public network = 127.0.0.0/8
ms bind ipv4 = true
ms bind ipv6 = false
ms bind msgr2 = false
ms async op threads = 1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${folder}/keyring
run dir = ${folder}/run
log file = ${folder}/log/$name.log
log to syslog = false
err to syslog = false
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
crash dir = ${folder}/log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
mon clock drift allowed = 5
auth allow insecure global id reclaim = false
paxos propose interval = 0.02
paxos min wait = 0.01
mon tick interval = 1
osd tick interval = 0.2
mon osdmap full prune enabled = false
[mon.a]
mon data = ${folder}/mon
mon addr = v1:127.0.0.1:${monPort}
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
osd memory target = 939524096
osd op num shards = 1
osd op num threads per shard = 1
osd class update on start = false
osd crush update on start = false
osd check max object name len on startup = false
[client.rgw.a]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${rgwPort} tcp_nodelay=1
rgw enable apis = s3, admin
rgw rados pool pg num min = 1
rgw enable gc threads = false
rgw enable lc threads = false
rgw thread pool size = 32
rgw run sync thread = false
rgw dynamic resharding = false
rgw override bucket index max shards = 1
rgw bucket quota ttl = 0
rgw num rados handles = 1
`;

export async function startCeph(): Promise<TestCeph> {
  const folder = await makeTemporaryFolder();
  const [monPort, rgwPort] = [await freePort(), await freePort()];
  for (const name of ['mon', 'osd', 'rgw', 'log', 'run']) await mkdir(join(folder, name));
  const config = join(folder, 'ceph.conf');
  await writeFile(config, configOf(folder, monPort, rgwPort));
  const env = { ...process.env, CEPH_CONF: config };
  const call = async (program: string, ...args: string[]): Promise<string> =>
    (await run(findProgram(program) ?? program, args, { env })).stdout;
  const children: ChildProcess[] = [];
  // Kills the daemons when the test process exits, so that no test run leaves any behind.
  const end = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', end);
  const start = (program: string, ...args: string[]): ChildProcess => {
    const child = spawn(findProgram(program) ?? program, [...args, '-f'], { env, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const until = async (child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> => {
    while (!(await isReady().catch(() => false))) {
      if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
      await wait(50);
    }
  };

  const keyring = join(folder, 'keyring');
  await call('ceph-authtool', '-C', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
  for (const name of ['client.admin', 'osd.0', 'client.rgw.a'])
    await call(
      ...(['ceph-authtool', keyring, '--gen-key', '-n', name] as const),
      ...['mon', 'osd', 'mgr'].flatMap((daemon) => ['--cap', daemon, 'allow *']),
    );
  const monmap = join(folder, 'monmap');
  const fsid = /fsid = (.*)/.exec(await readFile(config, 'utf8'))?.[1] ?? '';
  await call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[v1:127.0.0.1:${monPort}]`, monmap);
  await call('ceph-mon', '-i', 'a', '--mkfs', '--monmap', monmap, '--keyring', keyring);
  const mon = start('ceph-mon', '-i', 'a');
  await until(mon, async () => (await call('ceph', '--connect-timeout', '2', '-s')) !== '');
  await call('ceph-osd', '-i', '0', '--mkfs');
  await call('ceph', 'osd', 'new', (await readFile(join(folder, 'osd/fsid'), 'utf8')).trim());
  await call('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=h');
  const osd = start('ceph-osd', '-i', '0');
  await until(osd, async () => (await call('ceph', 'osd', 'stat', '-f', 'json')).includes('"num_up_osds":1'));
  const rgw = start('radosgw', '-n', 'client.rgw.a');
  const endpoint = `http://127.0.0.1:${rgwPort}`;
  await until(rgw, async () => (await fetch(endpoint)).ok);

  return {
    endpoint,
    async makeUser() {
      const uid = `u${randomUUID().replaceAll('-', '')}`;
      const user = { uid, accessKey: `A${uid.slice(1, 20)}`, secretKey: randomUUID() };
      const { accessKey, secretKey } = user;
      const keys = [`--access-key=${accessKey}`, `--secret-key=${secretKey}`];
      await call('radosgw-admin', 'user', 'create', `--uid=${uid}`, `--display-name=${uid}`, ...keys);
      return user;
    },
    async limit({ uid }, bytes) {
      const scope = ['--quota-scope=bucket', `--uid=${uid}`];
      await call('radosgw-admin', 'quota', 'set', ...scope, `--max-size=${bytes}`);
      await call('radosgw-admin', 'quota', 'enable', ...scope);
    },
    async stop() {
      process.off('exit', end);
      // RGW ignores SIGTERM for ten seconds.
      for (const child of children.reverse()) {
        const ended = child.exitCode === null ? once(child, 'exit') : null;
        child.kill('SIGKILL');
        await ended;
      }
      await removeTemporaryFolder(folder);
    },
  };
}
