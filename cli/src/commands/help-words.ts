/**
 * Descriptions are written for programs that send HTTP requests and read status codes. Help says the same to people who
 * type commands: a call succeeds or is refused, and a flag is given, left out or reset.
 */
import type { CommandShape, Flag } from '../command.ts';
import type { Document, Operation } from '../document/document.ts';
import { commandHelp, plainText, type Say } from '../help.ts';
import type { OperationShape } from '../shapes/operation-shape.ts';
import { inCommandWords } from './command-words.ts';

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/as a 403 would name them/g, 'as a refusal would name them'],
  [
    /\b(?:the answer is|(?:the call|the command|and) answers?) 4\d\d with its id, or 2\d\d with/g,
    'it is refused with its id, or answered with',
  ],
  [/(?:the call|the command) answers 4\d\d/g, 'the command is refused'],
  [/\bthe answer is 4\d\d\b/g, 'the command is refused'],
  [/, and (?:the call|the command) answers 202\b/g, ', which takes a while'],
  [/\b(made at once): 200\b/g, '$1'],
  [/\bthe answer is 200 with\b/g, 'the answer is'],
  [/\bThe answer is 200 with\b/g, 'The answer is'],
  [/\bthe answer is 200\b/g, 'the command succeeds'],
  [/\banswers 200 again\b/g, 'succeeds again'],
  [/ \((?:20[0-9]|4\d\d)\)/g, ''],
  [
    /\bWith Prefer: wait=N or (\?wait=N|--wait N) \(1-60 seconds\) the answer waits until the operation ends or the time is over\./g,
    'With --wait the command ends when the operation has ended, or the time of --timeout is over.',
  ],
  [
    / With Prefer: wait=N the answer waits for the first new event\.\s+With Accept: text\/event-stream the answer is a stream[\s\S]*?(?=\s+Permission:|$)/g,
    '\n\nWith --follow, the command prints events as they happen.',
  ],
  [/With Accept: text\/plain it is written for people\./g, 'With --as text it is written for people.'],
  [/To get plain text, send Accept: text\/plain\./g, 'To get plain text, add --as text.'],
  [
    /As text \(Accept: text\/plain or \*\/\*\), as a QR code \(image\/png\), or as JSON\./g,
    'As text (--as text), as a QR code (--as png), or as JSON (-o json).',
  ],
  [
    /A merge patch of the present labels: a label you name/g,
    'Changes to the present labels: a label that you name',
  ],
  [/one identical repeat of the request\b/g, 'one identical repeat of the command'],
  [/Calls that need no approval/g, 'Commands that need no approval'],
  [
    /The ETag of the version you want to change/g,
    'The version you want to change, as --verbose prints it (etag)',
  ],
  [/If that version is no longer current/g, 'If it is no longer the current one'],
  [/\bis written in the request\b/g, 'is written'],
  [/\bSend (it without|\* to)\b/g, 'Give $1'],
  [/\bis null until\b/g, 'is empty until'],
  [/\bis null(?=[,.;])/g, 'is empty'],
];

/** What null means for a flag: in an update it is reset, a new resource simply does without it. */
function withoutNull(text: string, flag: Flag, isResettable: boolean): string {
  const name = flag.alias ?? flag.name;
  const words = isResettable ? `--unset ${name}` : 'left out';
  return text
    .replaceAll(/\bDefault: null, /g, 'Default: ')
    .replaceAll(/(?<!\bvalue )\b([Nn])ull\b/g, (_, first: string) =>
      first === 'N' ? words.replace(/^l/, 'L') : words,
    );
}

/** How the texts of a command are said in its help. */
export function sayFor(
  document: Document,
  operation: Operation,
  { flags }: Pick<CommandShape, 'flags'>,
): Say {
  const unset = flags.find(({ name }) => name === 'unset')?.values ?? [];
  return (text, flag) => {
    const said = helpInCommandWords(text, document, operation);
    if (flag === undefined) return said;
    return withoutNull(said, flag, unset.includes(flag.alias ?? flag.name));
  };
}

export const helpOf = (document: Document, shape: OperationShape): string =>
  commandHelp(shape, sayFor(document, shape.operation, shape));

/** A text of the document for people who type commands. What is left of the marks of code is dropped. */
export function helpInCommandWords(text: string, document: Document, operation: Operation): string {
  const about = { operation };
  const said = inCommandWords(plainText(inCommandWords(text, document, about)), document, about);
  return PHRASES.reduce((rest, [pattern, instead]) => rest.replaceAll(pattern, instead), said);
}
