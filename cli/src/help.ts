/** The texts of `--help`, made from the same descriptions that the command is parsed with. */

import { type Argument, type CommandShape, type Flag, globalFlags } from './command.ts';
import type { Document, Operation } from './document/document.ts';
import { usualVerbs } from './document/usual-verbs.ts';
import { withVerb } from './lookup.ts';
import { argumentsOf } from './shapes/operation-arguments.ts';

const WIDTH = 100;

/** Markdown of the document as plain text. */
export const plainText = (text: string): string =>
  text.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');

function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of plainText(text).split(/\s+/)) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.min(34, Math.max(0, ...entries.map(([name]) => name.length)));
  return entries
    .map(([name, text]) => {
      const gap = name.length > width ? `\n${' '.repeat(width + 4)}` : ' '.repeat(width - name.length + 2);
      return `  ${name}${gap}${wrap(text, width + 4)}\n`;
    })
    .join('');
}

const section = (title: string, body: string): string => (body === '' ? '' : `\n${title}:\n${body}`);

/** Descriptions are written for callers of the API; this says the same for people who type commands. */
export type Say = (text: string, flag?: Flag) => string;

const asItIs: Say = (text) => text;

function flagRow(flag: Flag, say: Say): readonly [string, string] {
  const { name, short, kind, placeholder = '<text>', values, isRepeatable, isRequired, description } = flag;
  const isLong = (values?.join('|').length ?? 0) > 24;
  const shown = values === undefined ? placeholder : isLong ? '<value>' : `<${values.join('|')}>`;
  const isOnByItself = kind === 'switch' && flag.default === 'true';
  const head = `${short === undefined ? '' : `-${short}, `}${flag.alias === undefined ? '' : `--${flag.alias}, `}--${isOnByItself ? '[no-]' : ''}${name}${kind === 'switch' ? '' : ` ${shown}`}`;
  const notes = [
    isRequired ? 'Required.' : '',
    say(description, flag),
    flag.literal ?? '',
    isLong ? `One of ${values?.join(', ')}.` : '',
    flag.default === undefined ? '' : `Default: ${flag.default}.`,
    isRepeatable ? 'Can be repeated.' : '',
  ];
  return [head, notes.filter((note) => note !== '').join(' ')];
}

export const usageOf = ({ words, args, flags }: CommandShape): string => {
  const places = args.map(({ name, isOptional, isRest }) =>
    isOptional ? `[${name}]` : `<${name}>${isRest ? '…' : ''}`,
  );
  return [
    'hostplane',
    ...words,
    ...places,
    ...(flags.some(({ isHidden }) => isHidden !== true) ? ['[flags]'] : []),
  ].join(' ');
};

export function commandHelp(shape: CommandShape, say: Say = asItIs): string {
  const row = (flag: Flag) => flagRow(flag, say);
  const shown = shape.flags.filter(({ isHidden }) => isHidden !== true);
  const usual = shown.filter(({ isAdvanced }) => isAdvanced !== true);
  const required = usual.filter(({ isRequired }) => isRequired);
  const ordered = [...required, ...usual.filter(({ isRequired }) => !isRequired)];
  const advanced = shown.filter(({ isAdvanced }) => isAdvanced === true);
  const own = new Set(shape.flags.map(({ name }) => name));
  const common = globalFlags.filter(({ name }) => !own.has(name));
  const description =
    shape.description === undefined || shape.description === ''
      ? ''
      : `\n${paragraphs(say(shape.description))}\n`;
  return [
    `${say(shape.summary)}\n`,
    description,
    `\nUsage: ${usageOf(shape)}\n`,
    section('Arguments', rows(shape.args.map(({ name, description }) => [`<${name}>`, say(description)]))),
    section('Flags', rows(ordered.map(row))),
    section('Flags that are rarely needed', rows(advanced.map(row))),
    section('Flags of every command', rows(common.map((flag) => flagRow(flag, asItIs)))),
  ].join('');
}

const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((part) => wrap(part, 0))
    .join('\n\n');

export interface BuiltIn {
  readonly words: readonly string[];
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly isHidden?: boolean;
}

export function topHelp(builtIns: readonly BuiltIn[], document: Document | null): string {
  const families =
    document === null ? [] : [...document.families].map(([name, text]) => [name, text] as const);
  const own = builtIns
    .filter(({ isHidden }) => isHidden !== true)
    .map(({ words, summary }) => [words.join(' '), summary] as const);
  return [
    'hostplane: the command line of your hosting provider\n',
    '\nUsage: hostplane <family> <resource> <verb> [arguments] [flags]\n',
    section('Products', rows(families)),
    document === null ? '\nRun hostplane login to see the commands of your provider.\n' : '',
    section('Commands', rows(own)),
    section('Flags of every command', rows(globalFlags.map((flag) => flagRow(flag, asItIs)))),
    '\nAdd --help to any command to see what it does. docs/cli.md has a tour and the exit codes.\n',
  ].join('');
}

/** The resources of a family, or the verbs of a resource. */
export function groupHelp(
  words: readonly string[],
  group: readonly Operation[],
  document: Document,
  builtIns: readonly BuiltIn[],
): string {
  const [first] = group;
  const resources = [...new Set(group.map((each) => each.words.resource))];
  const isFamily = words.length === 1 && words[0] === first?.words.family;
  const head = isFamily ? (document.families.get(words[0] ?? '') ?? '') : `Commands for ${words.join(' ')}`;
  const entries = isFamily
    ? resources.map((name) => {
        const verbs = group.filter((each) => each.words.resource === name).map((each) => each.words.verb);
        return [name, verbs.join(', ')] as const;
      })
    : [
        ...group.map((each) => [usageWords(each.words.verb, argumentsOf(each)), each.summary] as const),
        ...builtIns
          .filter((each) => each.words.length === 2 && each.words[0] === first?.words.resource)
          .map((each) => [usageWords(each.words[1] ?? '', each.args), each.summary] as const),
      ];
  return [
    `${head}\n\nUsage: hostplane ${words.join(' ')} ${isFamily ? '<resource> <verb>' : '<verb>'} [arguments] [flags]\n`,
    section(isFamily ? 'Resources' : 'Verbs', rows(entries)),
    isFamily ? '' : alsoUnderstood(group),
  ].join('');
}

/** The verbs of other programs that lead to a verb of this resource. */
function alsoUnderstood(group: readonly Operation[]): string {
  const own = new Set(group.map(({ words }) => words.verb));
  const pairs = usualVerbs.flatMap((word) => {
    const found = own.has(word) ? undefined : withVerb(group, word);
    return found === undefined ? [] : [`${word} (${found.words.verb})`];
  });
  return pairs.length === 0 ? '' : `\n${wrap(`Also understood: ${pairs.join(', ')}.`, 0)}\n`;
}

const usageWords = (verb: string, args: readonly Argument[]): string =>
  [verb, ...args.map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`))].join(' ');
