/** Starts a real Redis or Valkey for tests, on a free loopback port and without persistence. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Stops the server from answering while its connections stay open, until `resume` is called. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export const NO_REDIS =
  'no redis-server and no valkey-server on this machine: install the package redis-server (or valkey)';

export function findRedis(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/usr/sbin'];
  const candidates = ['valkey-server', 'redis-server'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return candidates.find(isProgram);
}

export async function startRedis(): Promise<TestRedis | null> {
  const program = findRedis();
  if (!program) return null;
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  const child = spawn(program, ['--port', String(port), ...settings], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Kills the server when the test process exits, so that no test run leaves a server behind.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  await untilReady(child.stdout, once(child, 'exit'));
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      process.off('exit', end);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function untilReady(output: NodeJS.ReadableStream, exit: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      if (/ready to accept connections/i.test(text)) resolve();
    });
    void exit.then(() => reject(new Error(`Redis did not start: ${text}`)));
  });
}
