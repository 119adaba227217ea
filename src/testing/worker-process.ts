/** Starts workers for operations of the test family in separate processes, which tests can kill, pause and resume. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loadConfiguration } from '../configuration.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import type { Connection } from '../store/database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** CommonJS packages in the bundle call `require`, which ES modules do not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** `mail` and `egress` replace these sections of the configuration. */
export type WorkerTask = {
  readonly leaseSeconds: number;
  readonly mail?: ProviderConfig['mail'];
  readonly egress?: ProviderConfig['egress'];
} & (
  | { readonly connection: Connection }
  /** Also serves the API, on an embedded database in this folder. */
  | { readonly folder: string }
);

export interface WorkerProcess {
  readonly pid: number;
  /** The address of the API, if the process serves it. */
  readonly url: string;
  /** Everything on stdout and stderr so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits until the process exits. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Bundles the worker program into this folder and returns its path. */
export async function buildWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'worker.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'worker-program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native', '@node-rs/argon2'],
    banner: { js: REQUIRE },
  });
  const loaded = loadConfiguration({ env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  // Read and checked once, not at each of the many starts of the program.
  await writeFile(join(folder, 'provider.json'), JSON.stringify(loaded.config));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return outfile;
}

export async function startWorker(
  program: string,
  task: WorkerTask,
  env: Record<string, string> = {},
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // Kills the worker when the test process exits, so that no test run leaves a worker behind.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const gone = once(child, 'close').finally(() => process.off('exit', kill));
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const port = /^ready (\d*)$/m.exec(output)?.[1];
      if (port !== undefined) resolve(port);
    });
  });
  const port = await Promise.race([ready, gone.then(() => null)]);
  if (port === null) throw new Error(`The worker did not start:\n${output}`);
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await gone;
    },
  };
}
