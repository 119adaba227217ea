/** The built program in a process of its own, where signals, terminals and shells matter. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Process {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when stdout or stderr contain the text. */
  says(text: string): Promise<void>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Process {
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    child.emit('said');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    child.emit('said');
  });
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    async says(text) {
      while (!`${out}${err}`.includes(text)) {
        const over = ended.then(() => {
          if (!`${out}${err}`.includes(text)) throw new Error(`ended without "${text}":\n${out}\n${err}`);
        });
        await Promise.race([once(child, 'said'), over]);
      }
    },
  };
}

/** Builds the program if its sources changed, and returns its path. */
export async function programPath(): Promise<string> {
  const script = (await import('../../../scripts/cli.mjs' as string)) as { ensureCli(): Promise<string> };
  return script.ensureCli();
}

export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Process> {
  return start(process.execPath, [await programPath(), ...args], env);
}
