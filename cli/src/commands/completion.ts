/** `hostplane completion <shell>` prints the script of a shell; `hostplane complete-words` answers it. */
import type { BuiltInCommand } from '../built-in.ts';
import { type Candidate, complete } from '../completion/complete.ts';
import { scripts } from '../completion/scripts.ts';
import { exitCodes } from '../exit-codes.ts';
import { misuse } from '../failure.ts';
import { type Io, silent } from '../io.ts';
import { printable } from '../output/printable.ts';
import { globalsIn } from '../run.ts';
import { openSession, type Session } from '../session.ts';

/** Nobody waits longer for a completion; what is not there by then is left out. */
const LONGEST_MS = 3_000;

async function candidates(
  io: Io,
  builtIns: readonly BuiltInCommand[],
  words: readonly string[],
): Promise<Candidate[]> {
  let session: Session | null = null;
  try {
    session = openSession(io, globalsIn(words));
  } catch {}
  try {
    const document = session && (await session.documents.read().catch(() => null));
    return await complete({ io, session, document, builtIns }, words);
  } catch {
    return [];
  } finally {
    session?.client.close();
  }
}

const oneLine = (text: string): string =>
  printable(text)
    .replaceAll(/[\s`]+/g, ' ')
    .slice(0, 80);

export function completionCommands(builtIns: () => readonly BuiltInCommand[]): BuiltInCommand[] {
  return [
    {
      words: ['completion'],
      summary: 'Print the script that completes commands in bash, zsh or fish.',
      description:
        'Put "source <(hostplane completion bash)" into ~/.bashrc. For zsh and fish, the first line of the script says where it belongs.',
      args: [{ name: 'shell', description: 'bash, zsh or fish.', values: Object.keys(scripts) }],
      flags: [],
      async run({ io, args: [shell = ''] }) {
        const script = scripts[shell];
        if (script === undefined)
          throw misuse(`There is no completion for "${shell}": it is bash, zsh or fish.`);
        await io.out(script);
        return exitCodes.done;
      },
    },
    {
      words: ['complete-words'],
      summary: 'What can stand at the cursor; for the scripts of completion.',
      isHidden: true,
      args: [],
      flags: [],
      async runLine(io, argv) {
        const words = argv.slice(argv.indexOf('--') + 1);
        const late = new Promise<Candidate[]>((resolve) => {
          setTimeout(() => resolve([]), LONGEST_MS).unref();
        });
        const found = await Promise.race([candidates(silent(io), builtIns(), words), late]);
        const lines = found.map(
          ({ value, description }) => `${printable(value)}\t${oneLine(description ?? '')}\n`,
        );
        await io.out(lines.join(''));
        return exitCodes.done;
      },
    },
  ];
}
