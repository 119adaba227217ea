/** Answers that are files in other formats than JSON: they are written as they are, for a pipe or a redirection. */
import { type Given, last } from '../command.ts';
import type { Operation } from '../document/document.ts';
import { misuse } from '../failure.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';

const wordOf = (type: string): string => (type === 'text/plain' ? 'text' : (type.split('/')[1] ?? type));

/** The words for `--as`, each with its media type. */
export const formatsOf = ({ formats }: Operation): ReadonlyMap<string, string> =>
  new Map(formats.map((type) => [wordOf(type), type]));

/** The media type that `--as` asks for; undefined without the flag. */
export function wantedFormat(io: Io, operation: Operation, given: Given): string | undefined {
  const word = last(given, 'as');
  if (word === undefined) return undefined;
  const formats = formatsOf(operation);
  const type = formats.get(word);
  if (type === undefined) throw misuse(`--as is one of ${[...formats.keys()].join(', ')}, not "${word}".`);
  if (!type.startsWith('text/') && io.outIsTerminal)
    throw misuse(`A terminal cannot show ${type}. Write it into a file: … --as ${word} > file`);
  return type;
}

export const printFile = (io: Io, type: string, bytes: Buffer): Promise<void> =>
  io.out(type.startsWith('text/') && io.outIsTerminal ? printable(bytes.toString('utf8')) : bytes);
