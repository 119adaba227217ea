/** Runs the command of an operation, found in the document of the server. */
import { type Argument, type Given, globalFlags, isOn } from './command.ts';
import { prepare, runOperation } from './commands/call.ts';
import { problemInCommandWords } from './commands/command-words.ts';
import { helpOf } from './commands/help-words.ts';
import { type KnownNames, namesIn, typedNames, withKnownNames } from './commands/known-names.ts';
import { problemWithNames } from './commands/problem-names.ts';
import type { Document, Operation } from './document/document.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { Failure, misuse } from './failure.ts';
import { type BuiltIn, groupHelp, usageOf } from './help.ts';
import { Refused } from './http/client.ts';
import { checkArguments, parse, UnknownFlag } from './input/parse.ts';
import type { Io } from './io.ts';
import { type Found, type FoundOperation, UnknownCommand } from './lookup.ts';
import { openSession, type Session } from './session.ts';
import { type OperationShape, shapeOf } from './shapes/operation-shape.ts';
import { type Words, wordsIn } from './words-in.ts';

/** The flags of every command, wherever they stand. Others are skipped. */
export function globalsIn(argv: readonly string[]): Given {
  const given = new Map<string, string[]>();
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  for (const { name, kind } of globalFlags) {
    if (before.includes(`--no-${name}`)) given.set(name, ['false']);
    const at = before.findIndex((each) => each === `--${name}` || each.startsWith(`--${name}=`));
    const text = before[at];
    if (text === undefined) continue;
    const value = text.includes('=') ? text.slice(text.indexOf('=') + 1) : before[at + 1];
    given.set(name, [kind === 'switch' ? 'true' : (value ?? '')]);
  }
  return given;
}

type LookUp = (document: Document) => Found;

/**
 * A document from the cache may be older than the command, so what is not found in it is searched again in a new one.
 */
export async function runFromDocument(
  io: Io,
  argv: readonly string[],
  lookUp: LookUp,
  /** Shown in the help of the resource that their words begin with. */
  builtIns: readonly BuiltIn[] = [],
): Promise<ExitCode> {
  // At first only the flags that say which server to ask; the rest is checked when the command is known.
  const session = openSession(io, globalsIn(argv));
  const words = wordsIn(argv);
  try {
    const group = groupIn(session, lookUp);
    if (group !== null) return await showGroup(session, { ...group, builtIns }, words);
    return await runIn(session, await session.documents.read(), words, lookUp, builtIns);
  } catch (error) {
    if (!(error instanceof UnknownCommand || error instanceof UnknownFlag)) throw error;
    return await runIn(session, await session.documents.read(true), words, lookUp, builtIns);
  } finally {
    session.client.close();
  }
}

interface Group {
  readonly group: readonly Operation[];
  readonly words: readonly string[];
  readonly document: Document;
}

/** Help of a family or a resource needs no flags, so it is spared the reading of the whole document. */
function groupIn({ documents }: Session, lookUp: LookUp): Group | null {
  const document = documents.outline();
  if (document === null) return null;
  try {
    const target = lookUp(document);
    return 'group' in target ? { ...target, document } : null;
  } catch (error) {
    if (error instanceof UnknownCommand) return null;
    throw error;
  }
}

async function showGroup(
  { io }: Session,
  target: Group & { readonly builtIns: readonly BuiltIn[] },
  words: Words,
): Promise<ExitCode> {
  const { given } = parse(words.without(target.words.length), globalFlags);
  await io.out(groupHelp(target.words, target.group, target.document, target.builtIns));
  return isOn(given, 'help') ? exitCodes.done : exitCodes.usage;
}

async function runIn(
  session: Session,
  document: Document,
  words: Words,
  lookUp: LookUp,
  builtIns: readonly BuiltIn[],
): Promise<ExitCode> {
  const target = lookUp(document);
  if ('group' in target) return showGroup(session, { ...target, document, builtIns }, words);
  return runCommand(session, document, target, words);
}

/** What went wrong, in words of commands, and with the names that are known. */
async function inWords(
  error: unknown,
  session: Session,
  document: Document,
  operation: Operation,
  typed: KnownNames,
): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  if (!(error instanceof Refused)) return new Failure(withKnownNames(error.message, typed), error.code);
  const named = await problemWithNames(session, document, error.problem);
  const said = new Refused(problemInCommandWords(named, document, operation));
  return new Failure(withKnownNames(said.message, new Map([...namesIn(named), ...typed])), said.code);
}

async function runCommand(
  session: Session,
  document: Document,
  { operation, used, before = [] }: FoundOperation,
  words: Words,
): Promise<ExitCode> {
  const shape = shapeOf(document, operation);
  const { args, given } = parse(words.without(used), [...shape.flags, ...globalFlags]);
  if (isOn(given, 'help')) {
    await session.io.out(helpOf(document, shape));
    return exitCodes.done;
  }
  checkArguments(args, namedPlaces(shape, args), usageOf(shape));
  const all = withLastArgument(shape, args, given);
  try {
    return await runOperation(
      session,
      await prepare(session, document, shape, { line: [...before, ...words.without(0)], args, given: all }),
    );
  } catch (error) {
    throw await inWords(error, session, document, operation, typedNames(shape, args, all));
  }
}

/** The command that lists what a missing argument can be may need an argument that was typed. */
function namedPlaces(shape: OperationShape, args: readonly string[]): Argument[] {
  const typed = typedNames(shape, args, new Map());
  return shape.args.map((each) => ({ ...each, description: withKnownNames(each.description, typed) }));
}

/** An argument after those of the path is the value of the flag that it stands for. */
function withLastArgument(shape: OperationShape, args: readonly string[], given: Given): Given {
  const text = args[shape.pathParameters.length];
  const { choice } = shape.operation;
  const flag = shape.memberFlags.find(({ path }) => path.join() === choice?.argument?.member);
  if (text === undefined || flag === undefined) return given;
  if (given.has(flag.name)) throw misuse(`"${text}" and --${flag.name} say the same. Give one of them.`);
  return new Map([...given, [flag.name, [text]]]);
}
