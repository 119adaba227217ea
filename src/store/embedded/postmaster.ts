/**
 * Finds, starts and stops the PostgreSQL process of a cluster. It is found by the `postmaster.pid` file in
 * its cluster. It is started in its own process group, so that Ctrl-C in a terminal reaches Hostplane and not
 * PostgreSQL. It is stopped by its process id.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAs } from './account.ts';
import { makePrivateFolder, type Place } from './data-folder.ts';
import { errorCode } from './fault.ts';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly socketFolder: string;
}

export interface Launch {
  readonly child: ChildProcess;
  readonly port: number;
  readonly failure: () => Error | undefined;
  readonly readLog: () => Promise<string>;
}

const LOG_LIMIT = 1_000_000;

/**
 * Returns the contents of the pid file, which may be stale: `isPostmaster` or a connection shows whether the
 * server runs.
 */
export async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  });
  const [pid, , , port, socketFolder] = text.split('\n');
  if (!pid) return undefined;
  return { pid: Number(pid), port: Number(port), socketFolder: socketFolder ?? '' };
}

/**
 * True if this process is the PostgreSQL of this cluster. A process id alone proves nothing, because the
 * system reuses it. On Linux the working folder of the process decides, which works even after the folder was
 * renamed.
 */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return stdout.includes('postgres') && stdout.includes(cluster);
  }
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  if (name.trim() !== 'postgres') return false;
  const [here, there] = await Promise.all([
    stat(cluster).catch(() => undefined),
    stat(`/proc/${pid}/cwd`).catch(() => statClusterArgument(pid)),
  ]);
  return here !== undefined && here.ino === there?.ino && here.dev === there.dev;
}

/**
 * Finds the cluster by the process arguments: root in a container often may not read the working folder of
 * another user's process, but can always read its arguments.
 */
async function statClusterArgument(pid: number): Promise<Stats | undefined> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const args = line.split('\0');
  const cluster = args[args.indexOf('-D') + 1];
  return cluster ? stat(cluster).catch(() => undefined) : undefined;
}

/**
 * Removes the lock file of a dead server. PostgreSQL takes over such files itself, but gives up if their
 * process id now belongs to another program of the same user or to a zombie process. The file is moved aside
 * first and read again, because another process may have started a server at this moment whose lock file must
 * stay.
 */
async function clearStaleLock(file: string, cluster: string): Promise<void> {
  const stale = await readFirstLine(file);
  if (!stale || (await isPostmaster(Number(stale), cluster))) return;
  const aside = `${file}.stale-${process.pid}`;
  try {
    await rename(file, aside);
    if ((await readFirstLine(aside)) === stale) await rm(aside);
    else await rename(aside, file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function readFirstLine(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n')[0];
}

export async function launch(place: Place, bin: string, settings: Record<string, string>): Promise<Launch> {
  await makePrivateFolder(place.socketFolder, place.account);
  const port = await choosePort(place.cluster);
  await clearStaleLock(join(place.cluster, 'postmaster.pid'), place.cluster);
  await clearStaleLock(join(place.socketFolder, `.s.PGSQL.${port}.lock`), place.cluster);
  const all = {
    ...settings,
    listen_addresses: '',
    unix_socket_directories: `"${place.socketFolder.replaceAll('"', '""')}"`,
    port: String(port),
  };
  if (((await stat(place.log).catch(() => undefined))?.size ?? 0) > LOG_LIMIT) {
    await rename(place.log, `${place.log}.1`);
  }
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  const log = await open(place.log, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  const { size: begin } = await log.stat();
  let failure: Error | undefined;
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', place.cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...runAs(place.account),
      cwd: '/',
      env: { LC_ALL: 'C' },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  );
  child.on('error', (error) => {
    failure = error;
  });
  child.on('exit', (code, signal) => {
    failure = new Error(`PostgreSQL ended (${signal ?? `exit code ${code}`})`);
  });
  child.unref();
  await log.close();
  const readLog = async () => (await readFile(place.log, 'utf8').catch(() => '')).slice(begin).slice(-2000);
  return { child, port, failure: () => failure, readLog };
}

/** Sends a fast shutdown: PostgreSQL rolls back open transactions, writes a checkpoint and exits. */
export async function stop(pid: number, cluster: string, patience = 60_000): Promise<void> {
  if (!(await isPostmaster(pid, cluster))) return;
  const deadline = Date.now() + patience;
  send(pid, 'SIGINT');
  while (await isPostmaster(pid, cluster)) {
    // An immediate shutdown loses no data either: the next start replays the log.
    if (Date.now() > deadline) send(pid, 'SIGQUIT');
    await sleep(10);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * Derives the port from the identity of the cluster. PostgreSQL does not listen on this port; it only names
 * the socket. An orphaned server of a deleted cluster therefore cannot remove the socket of the new cluster
 * when it exits.
 */
async function choosePort(cluster: string): Promise<number> {
  const control = await readFile(join(cluster, 'global', 'pg_control'));
  const identity = createHash('sha256').update(control.subarray(0, 8)).digest();
  return 1024 + (identity.readUInt32BE(0) % 64_000);
}
