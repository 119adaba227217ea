/** Reads the arguments and flags of a command line, and says what is wrong with them. */
import { parseArgs } from 'node:util';
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { Argument, Flag, Given } from '../command.ts';
import { misuse } from '../failure.ts';
import { shortestOf } from './short-names.ts';

export interface Parsed {
  readonly args: readonly string[];
  readonly given: Given;
}

/** Members are written with `_` in the API; both forms are understood. */
const dashed = (argument: string): string =>
  argument.replace(/^--[^=]+/, (name) => name.replaceAll('_', '-'));

const namesOf = ({ name, alias }: Flag): string[] => (alias === undefined ? [name] : [name, alias]);

export class UnknownFlag extends Error {}

export function parse(argv: readonly string[], flags: readonly Flag[]): Parsed {
  const known = new Map(flags.flatMap((flag) => namesOf(flag).map((name) => [name, flag] as const)));
  const end = argv.indexOf('--');
  const { tokens } = parseArgs({
    args: argv.map((argument, i) => (end >= 0 && i > end ? argument : dashed(argument))),
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      flags.flatMap((flag) =>
        namesOf(flag).map((name) => [
          name,
          {
            type: flag.kind === 'switch' ? 'boolean' : 'string',
            ...(flag.short === undefined || name !== flag.name ? {} : { short: flag.short }),
          } as const,
        ]),
      ),
    ),
  });
  const args: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const { flag, value } = readToken(token, known);
    const before = given.get(flag.name);
    if (before !== undefined && !flag.isRepeatable)
      throw misuse(`--${flag.name} is given twice. It takes one value.`);
    given.set(flag.name, [...(before ?? []), value]);
  }
  return { args, given };
}

interface Token {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readToken({ name, rawName, value, inlineValue }: Token, known: ReadonlyMap<string, Flag>) {
  const flag = known.get(name);
  if (flag === undefined) {
    const positive = known.get(name.replace(/^no-/, ''));
    if (name.startsWith('no-') && positive?.kind === 'switch' && value === undefined)
      return { flag: positive, value: 'false' };
    throw unknown(rawName, known);
  }
  if (flag.kind === 'switch') {
    if (value !== undefined && value !== 'true' && value !== 'false')
      throw misuse(`--${name} is true or false, not "${value}".`);
    return { flag, value: value ?? 'true' };
  }
  const isFlag = value?.startsWith('--') === true && known.has(value.slice(2));
  if (value === undefined || (isFlag && inlineValue !== true)) throw misuse(`--${name} needs a value.`);
  if (flag.values !== undefined && flag.isOpen !== true && !flag.values.includes(value)) {
    const near = nearest(value, flag.values);
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    throw misuse(`--${name} is one of ${flag.values.join(', ')}, not "${value}".${hint}`);
  }
  return { flag, value };
}

function unknown(rawName: string, known: ReadonlyMap<string, Flag>): UnknownFlag {
  const name = rawName.replace(/^-+/, '');
  const alike = [...new Set(known.values())].filter((flag) => shortestOf(flag.name) === shortestOf(name));
  if (alike.length > 0)
    return new UnknownFlag(
      `There is no flag ${rawName}. Did you mean ${alike.map((flag) => `--${flag.name}`).join(' or ')}?`,
    );
  const near = nearest(
    name,
    [...known].filter(([, { isHidden }]) => !isHidden).map(([each]) => each),
  );
  const hint = near === null ? 'Add --help to see all flags.' : `Did you mean --${near}?`;
  return new UnknownFlag(`There is no flag ${rawName}. ${hint}`);
}

/** Checks that all required arguments are there, and no others. */
export function checkArguments(args: readonly string[], expected: readonly Argument[], usage: string): void {
  const missing = expected
    .slice(args.length)
    .find(({ isOptional, isRest }) => isOptional !== true && isRest !== true);
  if (missing !== undefined)
    throw misuse(
      `<${missing.name}> is missing: ${missing.description.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())}\nUsage: ${usage}`,
    );
  if (args.length > expected.length && expected.at(-1)?.isRest !== true)
    throw misuse(`"${args[expected.length]}" is one argument too many. Usage: ${usage}`);
}
