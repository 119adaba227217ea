/**
 * Creates a network namespace for one test. Its name contains the id of the process that created it, so that a later
 * run finds and removes what a killed run left behind. All processes that an engine starts are in the namespace, or
 * descend from one that is.
 */
import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, rmdirSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { searchPath } from './programs.ts';

const run = promisify(execFile);
const PREFIX = 'hostplane-test-';
const FOLDER = '/run/netns';
const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;
const pause = new Int32Array(new SharedArrayBuffer(4));
const env = { ...process.env, PATH: searchPath };

export interface Namespace {
  readonly name: string;
  /** The path for `nsenter --net=`. */
  readonly path: string;
}

const namespaceOf = (name: string): Namespace => ({ name, path: `${FOLDER}/${name}` });

export async function makeNamespace(): Promise<Namespace> {
  const namespace = namespaceOf(`${PREFIX}${process.pid}-${randomBytes(3).toString('hex')}`);
  await ip('netns', 'add', namespace.name);
  await ip('-n', namespace.name, 'link', 'set', 'lo', 'up');
  return namespace;
}

export async function ip(...args: readonly string[]): Promise<string> {
  return (await run('ip', args, { env })).stdout;
}

/** Runs a program in the namespace, from where the machines can be reached. Returns its output. */
export async function runIn(
  namespace: Namespace,
  program: string,
  args: readonly string[] = [],
): Promise<string> {
  return (await run('nsenter', [`--net=${namespace.path}`, program, ...args], { env })).stdout;
}

/** Kills all processes in the namespace and removes it. Synchronous, so that it can run in an exit handler. */
export function removeNamespace(namespace: Namespace): void {
  const groups = new Set<string>();
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const pids = processesIn(namespace);
    if (pids.length === 0) break;
    if (Date.now() > giveUpAt) throw new Error(`${pids.join(', ')} in ${namespace.name} cannot be ended.`);
    for (const group of pids.flatMap(controlGroupsOf)) groups.add(group);
    for (const pid of pids) attempt(() => process.kill(pid, 'SIGKILL'));
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  spawnSync('ip', ['netns', 'del', namespace.name], { env });
  for (const group of groups) removeControlGroup(group);
}

export function removeLeftoverNamespaces(): void {
  if (process.getuid?.() !== 0) return;
  for (const name of namesIn(FOLDER)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) removeNamespace(namespaceOf(name));
  }
}

/** Includes descendants, because the processes of a machine have a network namespace of their own. */
function processesIn({ path }: Namespace): number[] {
  const inode = attempt(() => statSync(path).ino);
  if (inode === undefined) return [];
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const pid of namesIn('/proc').map(Number).filter(Number.isInteger)) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const [state, parent] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    if (state === undefined || state === 'Z') continue;
    parents.set(pid, Number(parent));
    if (attempt(() => readlinkSync(`/proc/${pid}/ns/net`)) === `net:[${inode}]`) found.add(pid);
  }
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** The control groups that were created for the machine of this process; they stay until they are removed. */
function controlGroupsOf(pid: number): string[] {
  const lines = attempt(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.split('\n') ?? [];
  return lines.flatMap((line) => {
    const [, controllers = '', path = ''] = line.split(':');
    const own = /^.*\/lxc\.(?:payload|monitor)\.[^/]+/.exec(path)?.[0];
    if (own === undefined) return [];
    const folders = controllers === '' ? ['', 'unified/'] : [`${controllers.replace(/^name=/, '')}/`];
    return folders.map((folder) => `/sys/fs/cgroup/${folder}${own.slice(1)}`);
  });
}

function removeControlGroup(path: string): void {
  for (const name of namesIn(path)) {
    const inner = `${path}/${name}`;
    if (attempt(() => statSync(inner))?.isDirectory() === true) removeControlGroup(inner);
  }
  attempt(() => rmdirSync(path));
}

const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

/** A file or process that disappears while it is read counts as missing. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
