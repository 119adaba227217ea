/** The contenders and the load generator, each a child process that ends with the bench. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromLoad, Order, Outcome, ToLoad } from './load.ts';

const here = dirname(fileURLToPath(import.meta.url));
const TICKS_PER_SECOND = 100;
const START_MS = 30_000;

export interface Contender {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Its standard output until it listened. */
  readonly greeting: string;
  stop(): Promise<void>;
}

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: string;
}

/** Starts a program and waits until it prints the URL that it listens on. Its log is discarded. */
export async function start({
  name,
  args,
  env = {},
  command = process.execPath,
}: Program): Promise<Contender> {
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    // npm starts a shell that starts the server; the process group lets the bench stop them together.
    detached: true,
  });
  let greeting = '';
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (): void =>
      reject(new Error(`${name} did not start. Run it by hand to see why: ${args.join(' ')}`));
    const patience = setTimeout(fail, START_MS);
    child.once('error', fail).once('exit', fail);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      greeting += text;
      const found = /listening on http:\/\/[^:\s]+:(\d+)/.exec(greeting)?.[1];
      if (found === undefined) return;
      clearTimeout(patience);
      resolve(Number(found));
    });
  }).catch(async (error: unknown) => {
    await endGroup(child);
    throw error;
  });
  return {
    name,
    pid: child.pid ?? 0,
    port,
    stop: () => endGroup(child),
    get greeting() {
      return greeting;
    },
  };
}

/** Starts the product with the Node options of `npm start`. */
export function startProduct(
  bundle: string,
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<Contender> {
  const root = process.env['BENCH_ROOT'] ?? process.cwd();
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
  const shared = { HOSTPLANE_PORT: '0', HOSTPLANE_TRUSTED_PROXIES: '127.0.0.0/8' };
  const args = [...flags, bundle, 'serve', ...options];
  return start({ name: 'hostplane admin serve', args, env: { ...shared, ...env } });
}

export const startBenchProgram = (
  name: 'bare' | 'raw' | 'held' | 'worker',
  env: Record<string, string>,
): Promise<Contender> => start({ name, args: [join(here, `${name}.mjs`)], env });

/** Waits until the last process of the group has closed its output. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.stdout === null || child.stdout.closed) return;
  const gone = once(child.stdout, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await gone;
}

/** Seconds of processor time that a process has used, or NaN if the system does not report it. */
export function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

export class Load {
  readonly #child = spawn(process.execPath, [join(here, 'load.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async prepare(set: string, requests: readonly string[]): Promise<void> {
    await this.#ask({ set, requests });
  }

  async run(order: Order): Promise<Outcome> {
    const answer = await this.#ask({ run: order });
    if (answer.kind !== 'ran')
      throw new Error(`Load ${order.set}: ${answer.kind === 'failed' ? answer.reason : answer.kind}`);
    return answer.outcome;
  }

  async stop(): Promise<void> {
    if (!this.#child.connected) return;
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  async #ask(message: ToLoad): Promise<FromLoad> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    return (await answer)[0] as FromLoad;
  }
}
