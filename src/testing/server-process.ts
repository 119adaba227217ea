/** Runs the server like `npm start` in a separate process, which tests can stop, kill and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything on stdout and stderr so far, including the log. */
  readonly output: () => string;
  /** The API key that the server prints only at its first start. */
  readonly apiKey: string | undefined;
  /** Sends the signal and waits for the exit. Returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

export interface FailedStart {
  readonly exitCode: number | null;
  readonly output: string;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

/** `options` are those of `hostplane admin serve`. */
export async function startServer(
  folder: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<ServerProcess | FailedStart> {
  const child = spawn(process.execPath, [START, ...options], {
    env: {
      ...process.env,
      HOSTPLANE_DATA: folder,
      HOSTPLANE_PORT: '0',
      HOSTPLANE_TRUSTED_PROXIES: '127.0.0.0/8',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const ended = once(child, 'close');
  const listening = new Promise<string>((resolve) => {
    child.stdout?.on('data', () => {
      const url = /listening on (\S+)/.exec(output())?.[1];
      if (url !== undefined && output().includes('Ctrl-C stops it')) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then(() => null)]);
  if (url === null) return { exitCode: child.exitCode, output: output() };
  return {
    url,
    pid: child.pid ?? 0,
    output,
    apiKey: /HOSTPLANE_API_KEY=(hpk1_\w+)/.exec(output())?.[1],
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
      return child.exitCode ?? child.signalCode;
    },
  };
}

export async function startServerOrFail(
  folder: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<ServerProcess> {
  const started = await startServer(folder, environment, options);
  if ('exitCode' in started) throw new Error(`The server did not start:\n${started.output}`);
  return started;
}
