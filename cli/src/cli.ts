/** The command line: finds the command, runs it, and turns what went wrong into a message and an exit code. */

import type { BuiltInCommand } from './built-in.ts';
import { builtIns } from './built-ins.ts';
import { type Given, globalFlags, isOn } from './command.ts';
import { problemInCommandWords } from './commands/command-words.ts';
import { movedCommand } from './commands/moved.ts';
import type { Document } from './document/document.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { Failure, misuse } from './failure.ts';
import { commandHelp, topHelp, usageOf } from './help.ts';
import { Refused } from './http/client.ts';
import { withIdleWait } from './input/idle-wait.ts';
import { checkArguments, parse, UnknownFlag } from './input/parse.ts';
import { type Io, silent } from './io.ts';
import { find, UnknownCommand } from './lookup.ts';
import { paintFor } from './output/paint.ts';
import { globalsIn, runFromDocument } from './run.ts';
import { openSession } from './session.ts';
import { version } from './version.ts';
import { type Words, wordsIn } from './words-in.ts';

/** Many programs have `--json` for what is `-o json` here. */
function withUsualOutputs(typed: readonly string[]): string[] {
  const end = typed.indexOf('--');
  return typed.map((word, i) => {
    const isFlag = end < 0 || i < end;
    return isFlag && (word === '--json' || word === '--yaml') ? `--output=${word.slice(2)}` : word;
  });
}

/** Runs a command line and returns its exit code. */
export async function runCli(typed: readonly string[], io: Io): Promise<number> {
  const argv = withUsualOutputs(typed);
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return report(inCommands(error, argv, io), io);
  }
}

/** A refusal in words of commands, which the outline of the document on disk knows. */
function inCommands(error: unknown, argv: readonly string[], io: Io): unknown {
  if (!(error instanceof Refused)) return error;
  const document = glance(io, globalsIn(argv));
  return document === null ? error : new Refused(problemInCommandWords(error.problem, document));
}

function report(error: unknown, io: Io): ExitCode {
  const paint = paintFor(io, io.errIsTerminal);
  const say = (message: string): void => {
    const [first = '', ...rest] = message.split('\n');
    io.err(`${[paint.red(first), ...rest].join('\n')}\n`);
  };
  if (error instanceof Failure) {
    say(error.message);
    return error.code;
  }
  if (error instanceof UnknownCommand || error instanceof UnknownFlag) {
    say(error.message);
    return exitCodes.usage;
  }
  if (io.interrupted.aborted) {
    say('Stopped. A change that was already sent may have been made: look before you repeat it.');
    return exitCodes.interrupted;
  }
  say(`This is a fault of the program, please report it: ${(error as Error).stack ?? String(error)}`);
  return exitCodes.failed;
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const found = wordsIn(argv);
  const [first, ...more] = found.words;
  if (first === undefined) return withoutCommand(argv, io);
  if (first === 'help') return dispatch([...more, '--help'], io);
  const builtIn = longestMatch(found.words);
  if (builtIn !== undefined) return runBuiltIn(builtIn, found, io);
  const moved = movedCommand(found.words);
  if (moved !== undefined) throw misuse(`${moved}${customersCommand(io, argv)}`);
  return runFromDocument(
    io,
    argv,
    (document) => find(document, found.words, builtInWords()),
    builtIns.filter(({ isHidden }) => isHidden !== true),
  );
}

/** The operator and the customers may have a command with the same words: `operations list`. */
function customersCommand(io: Io, argv: readonly string[]): string {
  const document = glance(io, globalsIn(argv));
  if (document === null) return '';
  try {
    const found = find(document, wordsIn(argv).words, []);
    if (!('operation' in found)) return '';
    const { family, resource, verb } = found.operation.words;
    return `\nThe customers' command is: hostplane ${family} ${resource} ${verb}`;
  } catch {
    return '';
  }
}

const builtInWords = (): string[] => builtIns.map(({ words }) => words[0] ?? '');

function longestMatch(words: readonly string[]): BuiltInCommand | undefined {
  return builtIns
    .filter((command) => command.words.every((word, i) => words[i] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
}

async function withoutCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  if (argv.includes('--version') || argv.includes('-V')) {
    await io.out(`hostplane ${version}\n`);
    return exitCodes.done;
  }
  const { given } = parse(argv, globalFlags);
  await io.out(topHelp(builtIns, glance(io, given)));
  return isOn(given, 'help') ? exitCodes.done : exitCodes.usage;
}

/** The document as it was last seen; null if there is none. Help has to work without a network. */
function glance(io: Io, given: Given): Document | null {
  try {
    const session = openSession(silent(io), given);
    return session.documents.glance();
  } catch {
    return null;
  }
}

async function runBuiltIn(command: BuiltInCommand, found: Words, io: Io): Promise<ExitCode> {
  const argv = found.without(command.words.length);
  if (command.runLine !== undefined) return command.runLine(io, argv);
  const { args, given } = parse(argv, [...globalFlags, ...withIdleWait(command.flags)]);
  if (isOn(given, 'help')) {
    await io.out(commandHelp(command));
    return exitCodes.done;
  }
  checkArguments(args, command.args, usageOf(command));
  return command.run?.({ io, args, given }) ?? exitCodes.done;
}
