/**
 * An Incus or LXD of a test's own, with a network namespace, a mount namespace and a folder that nobody else uses, so
 * that any number of them run side by side and the machine they run on stays as it is.
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
  /** As the driver's settings want it. */
  readonly url: string;
  readonly namespace: Namespace;
  readonly client: Client;
  /** Cuts it off in the midst of whatever it does; its machines run on. */
  kill(): Promise<void>;
  /** After `kill`, on what it left behind. */
  start(): Promise<void>;
  /** Stops answering without closing connections; `resume` wakes it. */
  pause(): void;
  resume(): void;
  /** What is served at this address, asked from where the machines are. */
  fetch(url: string): Promise<string>;
  /** With its machines and all it wrote. */
  stop(): Promise<void>;
}

/** Both packages write their own lines for root into the real ones, and then neither finds enough. */
const SUBORDINATE_IDS = 'root:1000000:1000000000\n';

/** A sysfs of the new network, the control groups as they were on it; lxcfs then holds all of it as long as it lives. */
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

export async function startDaemon(kind: EngineKind = 'incus'): Promise<TestDaemon> {
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
    const holder = await enter(namespace, folder);
    let daemon = await launch(kind, namespace, folder, holder);
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
        daemon = await launch(kind, namespace, folder, holder);
      },
      pause: () => void daemon.kill('SIGSTOP'),
      resume: () => void daemon.kill('SIGCONT'),
      fetch: (url) =>
        runIn(namespace, process.execPath, [
          '-e',
          'fetch(process.argv[1]).then((r) => r.text()).then((t) => process.stdout.write(t))',
          url,
        ]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the process that holds the mount namespace: a restarted daemon has to come back to the same one. */
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

async function launch(
  kind: EngineKind,
  namespace: Namespace,
  folder: string,
  holder: number,
): Promise<ChildProcess> {
  const { program, group, folderVariable } = programs[kind];
  const env = { [folderVariable]: folder };
  const into = [`--net=${namespace.path}`, `--mount=/proc/${holder}/ns/mnt`];
  const { child, readOutput } = await spawnIn(folder, 'daemon', [...into, program, '--group', group], env);
  const ready = spawn(program, ['waitready', `--timeout=${START_SECONDS}`], {
    env: { ...process.env, PATH: searchPath, ...env },
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
