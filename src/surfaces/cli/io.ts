/** The environment of a command: output, prompts, environment variables, current folder and user name. */
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Environment } from '../../provider/environment.ts';

export interface CliIo {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Prompts the user; null if the command does not run in a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readonly env: Environment;
  /** The folder in which the configuration file is searched. */
  readonly folder: string;
  /** The user name that the audit log records for changes. */
  readonly user: string;
}

async function ask(question: string): Promise<string> {
  // Prompts are written to stderr, because a script may read stdout.
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  lines.once('close', () => gone.abort());
  try {
    return await lines.question(question, { signal: gone.signal });
  } catch {
    return '';
  } finally {
    lines.close();
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export function terminal(): CliIo {
  const someoneIsThere = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    ask: someoneIsThere ? ask : null,
    env: process.env,
    folder: process.cwd(),
    user: userName(),
  };
}
