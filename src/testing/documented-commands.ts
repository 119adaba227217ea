/** Runs the commands of a documentation page in one shell and compares their output with the output on the page. */
import { type ExecFileException, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ServerProcess } from './server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Step {
  readonly chapter: string;
  readonly commands: string;
  /** A part of the expected output; `…` matches any text. */
  readonly shown: string;
}

/** Returns each block of commands, with the block of expected output if one follows directly. */
export function stepsOf(page: string): Step[] {
  return page.split(/^## /m).flatMap((part) => {
    const [chapter = ''] = part.split('\n', 1);
    const blocks = part.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```)?/gm);
    return [...blocks].map(([, commands = '', shown = '']) => ({ chapter, commands, shown }));
  });
}

export interface Place {
  readonly server: Pick<ServerProcess, 'url' | 'apiKey'>;
  /** The data folder of the server. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Returns the output of each step. Throws at the first command that fails. */
export async function paste(place: Place, steps: readonly Step[]): Promise<string[]> {
  const { server, folder, environment, timeoutMs = 0 } = place;
  const mark = randomUUID();
  const script = steps
    .map(({ commands }) => `${commands}\necho ${mark}`)
    .join('\n')
    .replace('hpk1_…', server.apiKey ?? '')
    .replaceAll('http://127.0.0.1:8080', server.url);
  const { error, stdout, stderr } = await new Promise<Ran>((resolve) => {
    const shell = execFile(
      'bash',
      ['-euo', 'pipefail', '-c', script],
      {
        cwd: root,
        env: { ...process.env, ...environment, HOSTPLANE_DATA: folder },
        maxBuffer: 64 * 1024 * 1024,
        timeout: timeoutMs,
      },
      (error, stdout, stderr) => resolve({ error, stdout, stderr }),
    );
    // Closes stdin, because some programs wait for input and a test has none.
    shell.stdin?.end();
  });
  const printed = stdout.split(`${mark}\n`);
  const last = printed.pop();
  if (error !== null) {
    const { chapter, commands } = steps[printed.length] ?? { chapter: 'the end', commands: '' };
    throw new Error(`"${chapter}" did not get through:\n${commands}\n${last}\n${stderr}`, { cause: error });
  }
  return printed;
}

interface Ran {
  readonly error: ExecFileException | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function expectInOrder(text: string, expected: readonly string[]): void {
  let from = 0;
  for (const part of expected) {
    const at = text.indexOf(part, from);
    expect([part, at >= from], text.slice(from)).toEqual([part, true]);
    from = at + part.length;
  }
}

/** Splits the expected output of a step into the parts that the real output must contain. */
export const partsOf = ({ shown }: Step): string[] =>
  shown
    .split(/…|\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
