/** What can stand at the cursor: commands, flags, values of flags, and live names of resources. */
import type { BuiltInCommand } from '../built-in.ts';
import { type Flag, globalFlags } from '../command.ts';
import { readContexts } from '../contexts/contexts.ts';
import type { Document, Operation } from '../document/document.ts';
import type { Reference, Schema } from '../document/schema.ts';
import { buildBody, isObject } from '../input/body.ts';
import { parse } from '../input/parse.ts';
import { filtersFor, Names, type Params, referenceOf } from '../input/references.ts';
import type { Io } from '../io.ts';
import { find } from '../lookup.ts';
import type { Session } from '../session.ts';
import { type OperationShape, shapeOf } from '../shapes/operation-shape.ts';
import { wordsIn } from '../words-in.ts';
import { type CompletedCommand, commandOf } from './command-line.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Surroundings {
  readonly io: Io;
  readonly session: Session | null;
  readonly document: Document | null;
  readonly builtIns: readonly BuiltInCommand[];
}

/** `words`: all words after `hostplane`; the last one is at the cursor and may be empty. */
export async function complete(around: Surroundings, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = commandIn(around, before);
  const own = command?.shape.flags ?? [];
  const common = globalFlags.filter(({ name }) => !own.some((flag) => flag.name === name));
  const flags = [...own, ...common].filter(({ isHidden }) => !isHidden);
  const starts = ({ value }: Candidate): boolean => value.startsWith(current);
  const inline = /^--([^=]+)=/.exec(current);
  if (inline !== null) {
    const flag = flags.find(({ name, alias }) => name === inline[1] || alias === inline[1]);
    const values = flag === undefined ? [] : await valuesOf(around, flag, command, before);
    return values.map((each) => ({ ...each, value: `${inline[0]}${each.value}` })).filter(starts);
  }
  const pending = flagBefore(before, flags);
  if (pending !== undefined) return (await valuesOf(around, pending, command, before)).filter(starts);
  if (current.startsWith('-')) return unused(flags, before).filter(starts);
  if (command === undefined) return nextWords(around, wordsIn(before).words).filter(starts);
  const more = command.isGroup ? nextWords(around, wordsIn(before).words) : [];
  return [...more, ...(await argumentValues(around, command, before))].filter(starts);
}

function commandIn(
  { builtIns, document }: Surroundings,
  before: readonly string[],
): CompletedCommand | undefined {
  const { words } = wordsIn(before);
  const matching = builtIns
    .filter((command) => command.words.every((word, i) => words[i] === word))
    .sort((a, b) => b.words.length - a.words.length);
  const [builtIn] = matching;
  const completed = document === null ? undefined : builtIn?.completeAs?.(document, words);
  if (completed !== undefined) return completed;
  if (builtIn !== undefined) {
    if (builtIn.isBeginning === true) return undefined;
    const isGroup = builtIns.some((each) => each !== builtIn && each.words[0] === builtIn.words[0]);
    return { shape: builtIn, operation: undefined, used: builtIn.words.length, isGroup };
  }
  if (document === null) return undefined;
  try {
    const found = find(document, words, []);
    return 'operation' in found ? commandOf(shapeOf(document, found.operation), found.used) : undefined;
  } catch {
    return undefined;
  }
}

/** The flag that waits for its value. */
function flagBefore(before: readonly string[], flags: readonly Flag[]): Flag | undefined {
  const word = (before.at(-1) ?? '').replaceAll('_', '-');
  return flags.find(
    ({ name, alias, short, kind }) =>
      kind !== 'switch' &&
      (word === `--${name}` ||
        (alias !== undefined && word === `--${alias}`) ||
        (short !== undefined && word === `-${short}`)),
  );
}

function unused(flags: readonly Flag[], before: readonly string[]): Candidate[] {
  const isGiven = (name: string): boolean => before.some((word) => word.split('=')[0] === `--${name}`);
  return flags
    .filter(({ name, alias, isRepeatable }) => isRepeatable || ![name, alias ?? name].some(isGiven))
    .flatMap(({ name, alias, description }) =>
      [...(alias === undefined ? [] : [alias]), name].map((each) => ({ value: `--${each}`, description })),
    );
}

function nextWords({ builtIns, document }: Surroundings, words: readonly string[]): Candidate[] {
  const [first, second] = words;
  const operations = document?.operations ?? [];
  if (first === undefined) {
    const own = builtIns.filter(({ isHidden }) => !isHidden);
    const families = [...(document?.families ?? [])].map(([value, description]) => ({ value, description }));
    const resources = operations
      .filter(({ words: { resource } }) =>
        isOnlyOne(
          operations.map((each) => each.words),
          resource,
        ),
      )
      .map(({ words: { resource, family } }) => ({ value: resource, description: family }));
    return once([
      ...own.map(({ words: [value = ''], summary }) => ({ value, description: summary })),
      ...families,
      ...resources,
    ]);
  }
  if (first === 'api' && second === undefined)
    return operations.map(({ id, summary }) => ({ value: id, description: summary }));
  const longer = builtIns.filter(
    (each) => each.words.length > words.length && words.every((word, i) => each.words[i] === word),
  );
  const ownWords = longer.map((each) => ({
    value: each.words[words.length] ?? '',
    description: each.summary,
  }));
  const commands = document?.commands ?? [];
  const inFamily = commands.filter((each) => each.words.family === first);
  if (inFamily.length > 0 && second === undefined)
    return once(inFamily.map((each) => ({ value: each.words.resource, description: each.words.resource })));
  const noun = inFamily.length > 0 ? second : first;
  const matching = (inFamily.length > 0 ? inFamily : commands).filter(
    (each) => each.words.resource === noun || each.words.otherResource === noun,
  );
  const verbs = matching.map((each) => ({ value: each.words.verb, description: each.summary }));
  return [...(words.length > (inFamily.length > 0 ? 2 : 1) ? [] : verbs), ...ownWords];
}

const isOnlyOne = (all: readonly { family: string; resource: string }[], resource: string): boolean =>
  new Set(all.filter((each) => each.resource === resource).map(({ family }) => family)).size === 1;

/** Of several candidates with the same value, the first. */
const once = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }, i) => candidates.findIndex((each) => each.value === value) === i);

async function argumentValues(
  around: Surroundings,
  command: CompletedCommand,
  before: readonly string[],
): Promise<Candidate[]> {
  const given = argumentsIn(command, before);
  const { operation, shape } = command;
  const argument = shape.args[given.length];
  if (argument?.values !== undefined) return argument.values.map((value) => ({ value }));
  if (argument?.reference !== undefined) return live(around, argument.reference, { params: {} });
  const { document } = around;
  if (operation === undefined || document === null) return [];
  const parameter = operation.pathParameters[given.length];
  const { argument: last } = operation.operation.choice ?? {};
  const flag = operation.memberFlags.find(({ path }) => path.join() === last?.member);
  if (parameter === undefined && argument !== undefined && flag !== undefined)
    return valuesOf(around, flag, command, before);
  const reference = parameter && pathReference(document, operation.operation, parameter.name);
  if (reference === undefined) return [];
  return live(around, reference, { params: await idsOf(around, operation, given) });
}

/** Names are completed also where the path takes them as they are. */
function pathReference(document: Document, operation: Operation, parameter: string): Reference | undefined {
  const { parameter: own, name } = operation.resource;
  const list = document.listOf(name);
  const byName = own === parameter && list ? { list: list.id, value: 'name', label: 'name' } : undefined;
  return referenceOf(document, operation, parameter) ?? byName;
}

function argumentsIn({ shape, used }: CompletedCommand, before: readonly string[]): readonly string[] {
  try {
    return parse(wordsIn(before).without(used), [...shape.flags, ...globalFlags]).args;
  } catch {
    return [];
  }
}

/** The ids of the arguments before the cursor, because the list of a part needs the id of its parent. */
async function idsOf(
  { document, session }: Surroundings,
  shape: OperationShape,
  given: readonly string[],
): Promise<Params> {
  const params: Record<string, string> = {};
  if (document === null || session === null) return params;
  const names = new Names(document, session.client);
  for (const [i, text] of given.entries()) {
    const parameter = shape.pathParameters[i];
    const reference = parameter && referenceOf(document, shape.operation, parameter.name);
    if (parameter === undefined) continue;
    params[parameter.name] =
      reference === undefined ? text : await names.resolve(text, reference, { params, fits: false });
  }
  return params;
}

async function valuesOf(
  around: Surroundings,
  flag: Flag,
  command: CompletedCommand | undefined,
  before: readonly string[],
): Promise<Candidate[]> {
  if (flag.name === 'context') {
    const { contexts } = readContexts(around.io);
    return Object.entries(contexts).map(([value, { url }]) => ({ value, description: url }));
  }
  if (flag.values !== undefined)
    return flag.values.map((value, i) => ({ value, description: flag.valueDescriptions?.[i] }));
  const { document } = around;
  if (document === null) return [];
  const schema = flag.schema && document.schemas.plain(flag.schema);
  const item: Schema = schema?.items === undefined ? (schema ?? {}) : document.schemas.plain(schema.items);
  if (item['x-event-type'] === true) return eventTypes(document);
  if (flag.reference === undefined) return [];
  const shape = command?.operation;
  const body = shape && (await bodySoFar(around.io, document, shape, command, before));
  const given = command === undefined ? [] : argumentsIn(command, before);
  const reference = referenceFor(document, shape, flag, body) ?? flag.reference;
  return live(around, reference, { params: shape ? await idsOf(around, shape, given) : {}, body });
}

/** The list for a member of an alternative, by the type that other flags name: `--target.type vm --target.id`. */
function referenceFor(
  { schemas }: Document,
  shape: OperationShape | undefined,
  { name }: Flag,
  body: unknown,
): Reference | undefined {
  const path = shape?.memberFlags.find((flag) => flag.name === name)?.path ?? [];
  let schema = shape?.operation.body ?? {};
  let value = body;
  for (const part of path) {
    const object = isObject(value) ? value : {};
    schema = schemas.plain(schemas.members(schemas.alternative(schema, object))[part] ?? {});
    value = object[part];
  }
  return schema['x-ref'];
}

const eventTypes = ({ schemas }: Document): Candidate[] => {
  const event = schemas.at<Schema>('#/components/schemas/Event');
  return Object.keys(event.discriminator?.mapping ?? {}).map((value) => ({ value }));
};

/** What the flags before the cursor say, because lists are narrowed by other members: plans by the location. */
async function bodySoFar(
  io: Io,
  document: Document,
  shape: OperationShape,
  command: CompletedCommand,
  before: readonly string[],
): Promise<unknown> {
  try {
    const complete = before.at(-1)?.startsWith('-') ? before.slice(0, -1) : before;
    const { given } = parse(wordsIn(complete).without(command.used), [...shape.flags, ...globalFlags]);
    const { body: schema = {} } = shape.operation;
    return await buildBody(io, document.schemas, { schema, flags: shape.memberFlags, given, unset: [] });
  } catch {
    return undefined;
  }
}

async function live(
  { document, session }: Surroundings,
  reference: Reference,
  { params, body }: { params: Params; body?: unknown },
): Promise<Candidate[]> {
  const list = document?.find(reference.list);
  const query = list && filtersFor(list, reference, params, body);
  if (document === null || session === null || list === undefined || query === undefined) return [];
  const rows = await new Names(document, session.client).rows(list, query);
  return rows
    .filter((row) => !reference.except?.includes(String(row[reference.value])))
    .map((row) => {
      const value = String(row[reference.value] ?? '');
      const label = typeof row[reference.label] === 'string' ? String(row[reference.label]) : '';
      const slug = typeof row['slug'] === 'string' ? row['slug'] : undefined;
      // A name without spaces is easier to recognise than an id.
      if (reference.value !== 'id') return { value, description: label };
      return slug !== undefined || /\s|^$/.test(label)
        ? { value: slug ?? value, description: label }
        : { value: label, description: value };
    });
}
