/**
 * Starts an Incus or LXD daemon for one test, with its own network namespace, mount namespace and folder. Any number
 * of them run in parallel, and the host stays unchanged.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../engines/compute/incus/client.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../folder.ts';
import { makeNamespace, type Namespace, removeNamespace, runIn } from './namespace.ts';
import { type EngineKind, programs, searchPath } from './programs.ts';

export interface TestDaemon {
  readonly kind: EngineKind;
  readonly folder: string;
  readonly socket: string;
  /** In the form that the driver's settings use. */
  readonly url: string;
  readonly namespace: Namespace;
  readonly client: Client;
  /** Kills the daemon in the middle of its work; its machines keep running. */
  kill(): Promise<void>;
  /** Starts the daemon again after `kill`, with the data it left. */
  start(): Promise<void>;
  /** The daemon stops answering without closing connections, until `resume`. */
  pause(): void;
  resume(): void;
  /** Fetches the URL from within the daemon's network namespace and returns the body. Rejects if it is not found. */
  fetch(url: string): Promise<string>;
  /** Also removes its machines and all its files. */
  stop(): Promise<void>;
}

/**
 * The packages of both engines add their own lines for root to the real files, and then neither engine finds enough
 * ids.
 */
const SUBORDINATE_IDS = 'root:1000000:1000000000\n';

/**
 * Mounts a sysfs for the new network namespace and puts the existing control groups back on it. lxcfs then keeps the
 * mount namespace alive.
 */
const ENTER = `set -e
mkdir "$1/cgroup"
mount --rbind /sys/fs/cgroup "$1/cgroup"
umount -l /sys
mount -t sysfs sysfs /sys
mount --rbind "$1/cgroup" /sys/fs/cgroup
umount -l "$1/cgroup"
mount --make-rshared /
mount --bind "$1/subordinate-ids" /etc/subuid
mount --bind "$1/subordinate-ids" /etc/subgid
mkdir -p /var/lib/lxcfs
exec lxcfs -p "$1/lxcfs.pid" /var/lib/lxcfs`;

const START_SECONDS = 60;

/** Prepares the namespace and the folder for the daemon. Returns the PATH with which the daemon is started. */
export type Prepare = (namespace: Namespace, folder: string) => Promise<string>;

export async function startDaemon(
  kind: EngineKind = 'incus',
  prepare: Prepare = async () => searchPath,
): Promise<TestDaemon> {
  const folder = await makeTemporaryFolder();
  const namespace = await makeNamespace();
  const end = () => removeNamespace(namespace);
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    process.off('exit', end);
    client.close();
    removeNamespace(namespace);
    await removeTemporaryFolder(folder);
  };
  const socket = join(folder, 'unix.socket');
  const client = new Client({ url: `unix://${socket}`, credentials: null });
  try {
    const [holder, path] = await Promise.all([enter(namespace, folder), prepare(namespace, folder)]);
    const launchHere = (): Promise<ChildProcess> => launch(kind, namespace, folder, holder, path);
    let daemon = await launchHere();
    return {
      kind,
      folder,
      socket,
      url: `unix://${socket}`,
      namespace,
      client,
      async kill() {
        daemon.ref();
        const ended = once(daemon, 'exit');
        daemon.kill('SIGKILL');
        await ended;
      },
      async start() {
        daemon = await launchHere();
        await untilNetworked(client);
      },
      pause: () => void daemon.kill('SIGSTOP'),
      resume: () => void daemon.kill('SIGCONT'),
      // A small program, because tests repeat this for many machines at once. A packet that is lost while a machine
      // comes up is repeated only after seconds; a new connection is not.
      fetch: (url) => runIn(namespace, 'timeout', ['5', 'busybox', 'wget', '-q', '-O', '-', url]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the process that holds the mount namespace: a restarted daemon has to enter the same one. */
async function enter(namespace: Namespace, folder: string): Promise<number> {
  await writeFile(join(folder, 'subordinate-ids'), SUBORDINATE_IDS);
  const inside = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', ENTER, 'enter', folder];
  const { child, readOutput } = await spawnIn(folder, 'lxcfs', [`--net=${namespace.path}`, ...inside], {});
  const pid = child.pid ?? 0;
  for (;;) {
    const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
    if (mounts.includes(' /var/lib/lxcfs ')) return pid;
    if (child.exitCode !== null) throw new Error(`lxcfs did not start: ${await readOutput()}`);
    await sleep(10);
  }
}

/**
 * A killed engine leaves its DHCP server running. If that has not ended when the next engine starts its own, the network
 * stays unavailable until the engine tries again, a minute later, and no machine can join it meanwhile.
 */
async function untilNetworked(client: Client): Promise<void> {
  for (;;) {
    const query = { recursion: 1 };
    const networks = await client.ask<{ status: string }[]>('GET', '/1.0/networks', { query });
    if (networks.every(({ status }) => status !== 'Unavailable')) return;
    await sleep(100);
  }
}

async function launch(
  kind: EngineKind,
  namespace: Namespace,
  folder: string,
  holder: number,
  path: string,
): Promise<ChildProcess> {
  const { program, group, folderVariable } = programs[kind];
  const env = { [folderVariable]: folder, PATH: path };
  const into = [`--net=${namespace.path}`, `--mount=/proc/${holder}/ns/mnt`];
  const { child, readOutput } = await spawnIn(folder, 'daemon', [...into, program, '--group', group], env);
  const ready = spawn(program, ['waitready', `--timeout=${START_SECONDS}`], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const isReady = once(ready, 'exit').then(([code]) => code === 0);
  if (await Promise.race([isReady, once(child, 'exit').then(() => false)])) return child;
  ready.kill();
  throw new Error(`${program} did not start: ${await readOutput()}`);
}

async function spawnIn(folder: string, name: string, args: readonly string[], env: Record<string, string>) {
  const log = join(folder, `${name}.out`);
  const output = await open(log, 'a');
  const child = spawn('nsenter', args, {
    cwd: '/',
    env: { ...process.env, PATH: searchPath, ...env },
    stdio: ['ignore', output.fd, output.fd],
    detached: true,
  });
  await once(child, 'spawn');
  await output.close();
  child.unref();
  return { child, readOutput: async () => (await readFile(log, 'utf8')).slice(-2000) };
}
