/** Everything a command sees of the outside: what it prints to, whom it can ask, and who is asking. */
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Environment } from '../../provider/environment.ts';

export interface CliIo {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Null where nobody sits at a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readonly env: Environment;
  /** Where a configuration file is looked for. */
  readonly folder: string;
  /** Under whose name changes go into the audit log. */
  readonly user: string;
}

async function ask(question: string): Promise<string> {
  // Questions go to stderr: stdout may be a file that a script reads.
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
