/** Pages that are tried as they stand: their commands pasted into one shell, what it prints held against what they show. */
import { type ExecFileException, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ServerProcess } from './server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Step {
  readonly chapter: string;
  readonly commands: string;
  /** Part of what they print; `…` stands for anything. */
  readonly shown: string;
}

/** Each block of commands, with the block of text that may stand under it. */
export function stepsOf(page: string): Step[] {
  return page.split(/^## /m).flatMap((part) => {
    const [chapter = ''] = part.split('\n', 1);
    const blocks = part.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```)?/gm);
    return [...blocks].map(([, commands = '', shown = '']) => ({ chapter, commands, shown }));
  });
}

export interface Place {
  readonly server: Pick<ServerProcess, 'url' | 'apiKey'>;
  /** Where its data are. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** What each of them printed. The first command that fails ends it all. */
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
    // Some programs read what is typed after them, and nobody is there to type.
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

/** What a page shows, as the parts that have to be found. */
export const partsOf = ({ shown }: Step): string[] =>
  shown
    .split(/…|\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
