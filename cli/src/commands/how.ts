/** `hostplane how <words>`: finds the commands for a task, with the search that the server also offers to assistants. */
import type { BuiltInCommand } from '../built-in.ts';
import { last } from '../command.ts';
import type { Document, Operation } from '../document/document.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import { type Client, Refused } from '../http/client.ts';
import { isObject } from '../input/body.ts';
import { printable } from '../output/printable.ts';
import { openSession, printerFor } from '../session.ts';
import { argumentsOf } from '../shapes/operation-arguments.ts';

const MOST = 8;

/** All texts in a value, in their order. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object')
    for (const part of Object.values(value)) yield* textsIn(part);
}

/** The answer of the tool; the server may send it as a stream with one message. */
function resultIn(body: unknown): unknown {
  const data = typeof body === 'string' ? (/^data: ?(.+)$/m.exec(body)?.[1] ?? '{}') : JSON.stringify(body);
  const { result } = JSON.parse(data) as { readonly result?: { readonly content?: unknown } };
  const [first] = Array.isArray(result?.content) ? result.content : [];
  return isObject(first) && typeof first['text'] === 'string' ? JSON.parse(first['text']) : {};
}

interface Found {
  readonly operation: Operation;
  /** Of the things that the call can do, those that the question speaks of, the best first. */
  readonly types: readonly string[];
}

interface Answer {
  /** The best first. */
  readonly hits: readonly Found[];
  /** What to look at if the search has no hits: the nearest topics, each with an operation to begin with. */
  readonly near: readonly Found[];
  /** Says what the question is about and the server does not have. */
  readonly note: string | undefined;
}

/** For each operation with such a choice, what the search says about it. */
function typesIn(result: unknown): Map<unknown, string[]> {
  const hits = isObject(result) && Array.isArray(result['hits']) ? result['hits'].filter(isObject) : [];
  return new Map(
    hits.map(({ operation, types }) => [
      operation,
      Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [],
    ]),
  );
}

/** The operations that are named in a part of the answer, each once. */
function foundIn(document: Document, part: unknown, types: ReadonlyMap<unknown, string[]>): Found[] {
  const named = [...textsIn(part)].flatMap((text) => document.find(text) ?? []);
  return [...new Set(named)].map((operation) => ({ operation, types: types.get(operation.id) ?? [] }));
}

async function ask(client: Client, document: Document, query: string): Promise<Answer> {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_operations', arguments: { query } },
  };
  try {
    const { body } = await client.call({
      method: 'POST',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const result = resultIn(body);
    const { topics, note, ...rest } = isObject(result) ? result : {};
    return {
      hits: foundIn(document, rest, typesIn(result)),
      near: foundIn(document, topics, new Map()),
      note: typeof note === 'string' ? note : undefined,
    };
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
    throw new Failure('This server has no search. hostplane --help lists what there is.', exitCodes.notFound);
  }
}

/** Of a call that does one of several things, those that the question means; all of them if it names none. */
function commandsOf(document: Document, { operation, types }: Found): Operation[] {
  const choices = document.commands.filter(({ id, choice }) => id === operation.id && choice !== undefined);
  if (choices.length === 0) return [operation];
  const meant = types.flatMap((type) => choices.filter(({ choice }) => choice?.value === type));
  return meant.length > 0 ? meant : choices;
}

/** As it is typed: the family is left out where no other family has the resource. */
function lineFor(document: Document, command: Operation, type: string | undefined): string {
  const { family, resource, verb } = command.words;
  const isOnlyOne = document.commands.every(
    ({ words }) => words.resource !== resource || words.family === family,
  );
  const places = argumentsOf(command).map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`));
  // A call for many things has no command for each of its types.
  const chosen = type === undefined || command.choice !== undefined ? [] : ['--type', type];
  return ['hostplane', ...(isOnlyOne ? [] : [family]), resource, verb, ...places, ...chosen].join(' ');
}

export const how: BuiltInCommand = {
  words: ['how'],
  summary: 'Find the commands for a task, in your own words.',
  description: 'For example: hostplane how do I make the disk of a machine larger',
  args: [{ name: 'words', description: 'What you want to do.', isRest: true }],
  flags: [],
  async run({ io, args, given }) {
    const query = args.join(' ').trim();
    if (query === '') throw misuse('How what? For example: hostplane how make a disk larger');
    const session = openSession(io, given);
    try {
      const document = await session.documents.read();
      const { hits, near, note } = await ask(session.client, document, query);
      const rows = (hits.length > 0 ? hits : near)
        .flatMap((each) => commandsOf(document, each).map((command) => ({ command, type: each.types[0] })))
        .slice(0, MOST)
        .map(({ command, type }) => ({
          command: lineFor(document, command, type),
          summary: command.summary,
          operation: command.id,
        }));
      if (rows.length === 0)
        throw new Failure(
          'Nothing was found. Try other words; hostplane --help lists what there is.',
          exitCodes.notFound,
        );
      // Rows are read by scripts, too, so what is said about them stands beside them.
      if (hits.length === 0)
        io.err(`${printable(note ?? 'Nothing fits these words.')} The nearest topics:\n`);
      else if (note !== undefined) io.err(`${printable(note)}\n`);
      const printer = printerFor(io, given);
      // A command is called by its own words.
      if (printer.format === 'name' && last(given, 'query') === undefined)
        await io.out(rows.map(({ command }) => `${command}\n`).join(''));
      else if (!printer.isForPeople) await printer.value(rows);
      else {
        // Commands are not shortened, so that they can be copied.
        const width = Math.max(...rows.map(({ command }) => command.length));
        await io.out(
          rows.map(({ command, summary }) => `${command.padEnd(width)}  ${printable(summary)}\n`).join(''),
        );
      }
      return exitCodes.done;
    } finally {
      session.client.close();
    }
  },
};
