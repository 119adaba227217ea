/** The commands that the reference shows make the call that its other samples make. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { families } from '../../src/families/index.ts';
import { buildRegistry } from '../../src/kernel/registry.ts';
import { EXAMPLE_ADDRESS } from '../../src/surfaces/openapi/example-address.ts';
import { entriesOf, Resolver } from '../../src/surfaces/openapi/resolved.ts';
import { exampleDocument } from '../../src/surfaces/openapi/snapshot.ts';
import { callOf } from '../../src/surfaces/portal/reference/samples/call.ts';
import { commandLine, commandWords } from '../../src/surfaces/portal/reference/samples/command-line.ts';
import { builtIns } from './built-ins.ts';
import { globalFlags } from './command.ts';
import { Document } from './document/document.ts';
import { buildBody } from './input/body.ts';
import { parse } from './input/parse.ts';
import type { Io } from './io.ts';
import { find } from './lookup.ts';
import { shapeOf } from './shapes/operation-shape.ts';
import { wordsIn } from './words-in.ts';

const published = exampleDocument(buildRegistry(families));
const resolver = new Resolver(published);
const written = { resolver, base: EXAMPLE_ADDRESS };
const commands = commandWords(resolver);
const document = new Document(published);
const entries = entriesOf(published);
const io = { env: {} } as Io;

const lineOf = (entry: (typeof entries)[number]): string =>
  commandLine(entry, callOf(entry, written), commands.get(entry.id) ?? [], resolver);

/** As a shell splits them: one list of words for each command. */
function wordsOfLines(lines: readonly string[]): string[][] {
  const script = `hostplane() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${lines.join('\n')}`;
  const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8', maxBuffer: 1e8 });
  expect(status).toBe(0);
  const found: string[][] = [[]];
  for (const word of stdout.split('\0')) {
    if (word === '\n') found.push([]);
    else found.at(-1)!.push(word);
  }
  return found.slice(0, -1);
}

const argvs = wordsOfLines(entries.map(lineOf));

it.each(entries.map((entry, i) => ({ id: entry.id, entry, argv: argvs[i]! })))(
  '$id: the command is found, and sends the path and the body of the example',
  async ({ id, entry, argv }) => {
    const call = callOf(entry, written);
    const words = wordsIn(argv);
    const builtIn = builtIns.filter((each) => each.words.every((word, i) => words.words[i] === word));
    expect(builtIn.map((each) => each.words)).toEqual([]);
    const found = find(document, words.words, []);
    if ('group' in found) throw new Error(`${argv.join(' ')} names no verb`);
    expect(found.operation.id).toBe(id);
    const shape = shapeOf(document, found.operation);
    const { args, given } = parse(words.without(found.used), [...shape.flags, ...globalFlags]);
    expect(args).toEqual(call.path);
    if (call.body === undefined) return;
    const schema = found.operation.body!;
    // `--confirm` is a flag of the program, which also puts it into the body.
    const body = await buildBody(io, document.schemas, {
      schema,
      flags: shape.memberFlags,
      given,
      unset: [],
    });
    const confirm = given.get('confirm')?.at(-1);
    expect(confirm === undefined ? body : { ...(body as object), confirm }).toEqual(call.body);
  },
);
