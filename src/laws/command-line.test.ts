/** Every operation of the document has a command, and what a command sends is what its flags say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalFlags } from '../../cli/src/command.ts';
import { problemInCommandWords } from '../../cli/src/commands/command-words.ts';
import { helpOf, sayFor } from '../../cli/src/commands/help-words.ts';
import { movedNames } from '../../cli/src/commands/moved.ts';
import { Document } from '../../cli/src/document/document.ts';
import type { Operation } from '../../cli/src/document/operation.ts';
import type { Schema } from '../../cli/src/document/schema.ts';
import type { Problem } from '../../cli/src/failure.ts';
import { commandHelp } from '../../cli/src/help.ts';
import { buildBody, isObject } from '../../cli/src/input/body.ts';
import { parse } from '../../cli/src/input/parse.ts';
import { shortestOf } from '../../cli/src/input/short-names.ts';
import type { Io } from '../../cli/src/io.ts';
import { find, findById } from '../../cli/src/lookup.ts';
import { cell } from '../../cli/src/output/cells.ts';
import { columnsOf } from '../../cli/src/output/table.ts';
import { type OperationShape, shapeOf } from '../../cli/src/shapes/operation-shape.ts';
import { openSite, type Site } from '../../cli/src/testing/site.ts';
import { families } from '../families/index.ts';
import { problems } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { runCommand } from '../testing/command-line.ts';
import { workshop } from '../testing/widgets.ts';
import { exemptFrom } from './exemptions.ts';
import { fixtureOf } from './fixtures.ts';
import { Filler, formsOf } from './forms.ts';
import { endpoints, paramNames, paramsFor } from './walk.ts';

const registry = buildRegistry([...families, workshop]);
const document = new Document(JSON.parse(JSON.stringify(exampleDocument(registry))));
const shapes = document.operations.map((operation) => shapeOf(document, operation));
const named = shapes.map((shape) => ({ id: shape.operation.id, shape }));

/** No member of an example is read from a file or from stdin. */
const io = { env: {} } as Io;

/** The flags that set the members of a body. */
function flagsFor({ memberFlags }: OperationShape, body: unknown, path: readonly string[] = []): string[] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const inner = [...path, name];
    const flag = memberFlags.find((each) => each.path.join('/') === inner.join('/'));
    if (flag === undefined) throw new Error(`no flag for ${inner.join('/')}`);
    if (flag.isHidden === true && isObject(value))
      return flagsFor({ memberFlags } as OperationShape, value, inner);
    if (value === null) return ['--unset', flag.name];
    if (flag.kind === 'switch') return [`--${value ? '' : 'no-'}${flag.name}`];
    const texts = Array.isArray(value)
      ? value
      : isObject(value) && flag.kind === 'map'
        ? pairs(value)
        : [value];
    // The text after an @ is a file, unless there are two.
    const asText = (each: unknown): string =>
      typeof each === 'string' ? each.replace(/^@/, '@@') : JSON.stringify(each);
    if (texts.length === 0) return [`--${flag.name}`, Array.isArray(value) ? '[]' : '{}'];
    return texts.flatMap((each) => [`--${flag.name}`, asText(each)]);
  });
}

const pairs = (map: object): string[] => Object.entries(map).map(([name, value]) => `${name}=${value}`);

describe('every operation', () => {
  it('is in the document that commands are made from', () => {
    expect(document.operations.map(({ id }) => id).sort()).toEqual(
      registry.endpoints.map(({ id }) => id).sort(),
    );
  });

  it('has unique words, and so has each choice of a call', () => {
    const lines = document.commands.map(({ words: { family, resource, verb } }) =>
      [family, resource, verb].join(' '),
    );
    expect(lines.filter((line, i) => lines.indexOf(line) !== i)).toEqual([]);
  });

  it.each(
    document.commands
      .filter(({ choice }) => choice !== undefined)
      .map((command) => ({ line: `${command.words.resource} ${command.words.verb}`, command })),
  )(
    '$line is found by its words, explains itself, and leaves out the flags of other choices',
    ({ command }) => {
      const shape = shapeOf(document, command);
      expect(find(document, shape.words, [])).toEqual({ operation: command, used: 3 });
      expect(commandHelp(shape)).not.toMatch(/undefined|\[object/);
      const { member, value } = command.choice ?? {};
      const foreign = shape.memberFlags.filter(({ schema }) => {
        const { member: by, is } = document.schemas.plain(schema)['x-when'] ?? {};
        return by === member && is?.includes(value) === false;
      });
      expect(foreign.map(({ name }) => name)).toEqual([]);
      expect(shape.memberFlags.map(({ name }) => name)).not.toContain(member);
    },
  );

  it.each(named)('$id is found by its words and by its id, and explains itself', ({ id, shape }) => {
    expect(find(document, [...shape.words, 'more'], [])).toEqual({ operation: shape.operation, used: 3 });
    expect(findById(document, id)).toBe(shape.operation);
    const help = commandHelp(shape);
    expect(help).toContain(shape.operation.summary);
    expect(help).not.toMatch(/undefined|\[object/);
  });

  it.each(named)('$id has a flag for every member and parameter, and no two with one name', ({ shape }) => {
    const names = [...shape.flags, ...globalFlags].flatMap(({ name, alias }) =>
      alias === undefined ? [name] : [name, alias],
    );
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const { body } = shape.operation;
    for (const name of Object.keys(body === undefined ? {} : document.schemas.members(body)))
      expect([name, name === 'confirm' || shape.memberFlags.some(({ path }) => path[0] === name)]).toEqual([
        name,
        true,
      ]);
  });

  it.each(named)('$id takes the last part of a long flag, unless it may mean another one', ({ shape }) => {
    const names = [...shape.flags, ...globalFlags].map(({ name }) => name);
    const usual = shape.memberFlags.filter(
      ({ isAdvanced, kind }) => isAdvanced !== true && kind !== 'switch',
    );
    const long = usual.filter(({ name, alias, isHidden }) => {
      const short = shortestOf(name);
      const isShared = shape.memberFlags.some(
        (flag) => flag.name !== name && shortestOf(flag.name) === short,
      );
      return isHidden !== true && name !== short && alias !== short && !names.includes(short) && !isShared;
    });
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  it.each(
    named.filter(({ id }) => registry.endpoints.find((each) => each.id === id)?.example.body !== undefined),
  )('$id sends its example if every member is given as a flag', async ({ id, shape }) => {
    const example = registry.endpoints.find((each) => each.id === id)?.example.body as Record<
      string,
      unknown
    >;
    const { confirm: _, ...body } = example;
    const { given } = parse(flagsFor(shape, body), [...shape.flags, ...globalFlags]);
    const { body: schema = {} } = shape.operation;
    const unset = given.get('unset') ?? [];
    expect(await buildBody(io, document.schemas, { schema, flags: shape.memberFlags, given, unset })).toEqual(
      body,
    );
  });
});

/** Words of the API: a member or a value with underscores, a header, a method, a path. Ids and keys are no words. */
const API_WORDS = /\b[a-z]+_[a-z]+\b|\b(X-[A-Z]|GET|POST|PUT|PATCH|DELETE|HTTP)\b|\bheader\b|\/v1\//;

describe('refusals speak of commands and flags, not of the API', () => {
  const id = 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b';
  it.each(named.map(({ id: of, shape }) => ({ of, operation: shape.operation })))(
    '$of',
    ({ of, operation }) => {
      const endpoint = registry.endpoints.find((each) => each.id === of)!;
      const left = [...possibleProblems(endpoint)].flatMap((code) => {
        const { title, next_step, extra = [], status } = problems[code];
        const used = [{ type: 'vm', id, name: 'web' }];
        const members = Object.fromEntries(extra.map((name) => [name, name === 'used_by' ? used : id]));
        const problem = { title, next_step, status, ...members };
        const said = problemInCommandWords(problem, document, operation);
        // A member that the problem has is said as its value, never by its name.
        const names = extra.filter((name) => name.includes('_')).map((name) => name.replaceAll('_', ' '));
        return [said.title, said.next_step].filter(
          (text) => API_WORDS.test(text) || names.some((name) => text.includes(`in ${name}`)),
        );
      });
      expect(left).toEqual([]);
    },
  );
});

/** Status codes and headers of HTTP, and null, which nobody types outside of a map of labels. */
const HTTP_WORDS =
  /\b(?:20[0-9]|30[0-9]|4(?:0[0-9]|1[0-9]|2[0-9])|50[0-9]|[1-5]xx)\b(?! days)|\bE[Tt]ag\b|\b(?:Accept|Prefer): ?\w|merge patch|(?<!\bvalue )\b[Nn]ull\b/;
/** What the receiver of a webhook answers is HTTP, and customers write it. */
const OF_RECEIVERS = /Any 2xx within [^.]+\.|410 disables the webhook\.|answer 2xx/g;

describe('help speaks of commands and flags, not of the API', () => {
  const line = ({ words: { family, resource, verb } }: Operation) => `${family} ${resource} ${verb}`;
  it.each(document.commands.map((command) => ({ line: line(command), command })))('$line', ({ command }) => {
    const shape = shapeOf(document, command);
    const own = document.find(command.id) ?? command;
    const say = sayFor(document, command, shape);
    // What is typed as a value of a flag stays as it is.
    const values = new Set(
      [shape, shapeOf(document, own)].flatMap(({ flags }) => flags.flatMap((flag) => flag.values ?? [])),
    );
    const texts = [
      say(shape.summary),
      say(shape.description ?? ''),
      ...shape.args.map(({ description }) => say(description)),
      ...shape.flags.map((flag) => say(flag.description, flag)),
    ];
    const left = texts.filter((text) => {
      const rest = text.replaceAll(/\w+/g, (word) => (values.has(word) ? '' : word));
      return (
        API_WORDS.test(rest) ||
        /\b[a-z]+\.[a-z]+`? (is )?(true|false)\b|`/.test(rest) ||
        HTTP_WORDS.test(text.replaceAll(OF_RECEIVERS, ''))
      );
    });
    expect(left).toEqual([]);
    expect(helpOf(document, shape)).not.toMatch(/undefined|\[object/);
  });
});

/** The members that the API lets a call set to null, with their paths. Lists have no flag for each of their items. */
function nullableMembers(schema: Schema, path: readonly string[] = []): string[][] {
  return Object.entries(document.schemas.members(schema)).flatMap(([name, member]) => {
    const inner = [...path, name];
    const own = document.schemas.isNullable(member) ? [inner] : [];
    return [...own, ...nullableMembers(member, inner)];
  });
}

describe('--unset resets whatever an update can set to null, by each name of its flag', () => {
  const changing = named.filter(
    ({ shape: { operation } }) => operation.body !== undefined && operation.resource.role !== 'create',
  );
  const cases = changing.flatMap(({ id, shape }) =>
    nullableMembers(shape.operation.body ?? {}).map((path) => ({ id, path: path.join('/'), shape })),
  );

  it('and there are such members', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBeGreaterThan(8);
  });

  it.each(cases)('$id $path', async ({ path, shape }) => {
    const flag = shape.memberFlags.find((each) => each.path.join('/') === path);
    const names = [flag?.name, flag?.alias].filter((name) => name !== undefined);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const { given } = parse(['--unset', name], [...shape.flags, ...globalFlags]);
      const { body: schema = {} } = shape.operation;
      const unset = given.get('unset') ?? [];
      const body = await buildBody(io, document.schemas, { schema, flags: shape.memberFlags, given, unset });
      expect(valueAt(body, `/${path}`)).toBeNull();
    }
  });
});

describe('a missing member is said with flags, and with an example that is understood', () => {
  const cases = named.flatMap(({ id, shape }) =>
    (shape.operation.body === undefined ? [] : (document.schemas.plain(shape.operation.body).required ?? []))
      .filter((name) => name !== 'confirm')
      .map((name) => ({ id, name, shape })),
  );

  it.each(cases)('$id $name', ({ name, shape }) => {
    const errors = [{ pointer: `/${name}`, code: 'required', detail: 'This is required.' }];
    const problem = { status: 422, detail: `One field is not valid: /${name}.`, errors };
    const said: Problem = problemInCommandWords(problem, document, shape.operation);
    const flags = shape.memberFlags.filter(({ isHidden }) => isHidden !== true);
    const known = flags.flatMap((flag) => [flag.name, flag.alias]);
    const namedIn = (said.errors ?? []).map(({ place = '', detail }) => {
      const own = known.includes(place.slice(2)) ? [place] : [];
      return [...own, ...(detail.match(/--[a-z][\w.-]*\w/g) ?? [])];
    });
    for (const names of namedIn) {
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((each) => !known.includes(each.slice(2)))).toEqual([]);
    }
    const words = said.example?.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, '')) ?? [];
    expect(() => parse(words, [...shape.flags, ...globalFlags])).not.toThrow();
  });
});

it('--wait and --timeout are accepted by every command', () => {
  const refusing = document.commands.filter((command) => {
    const { flags } = shapeOf(document, command);
    return !['wait', 'timeout'].every((name) => flags.some((flag) => flag.name === name));
  });
  expect(refusing.map(({ id }) => id)).toEqual([]);
});

it('no column of a list is an object that has no short text', () => {
  const lists = document.operations.filter(({ resource }) => resource.role === 'list');
  const raw = lists.flatMap((list) => {
    const row = document.rowOf(list);
    const members = row === undefined ? {} : document.schemas.members(row);
    return columnsOf(document, row, false)
      .filter((name) => Object.keys(document.schemas.plain(members[name] ?? {}).properties ?? {}).length > 0)
      .filter((name) => {
        const sample = sampleOf(document.schemas.plain(members[name] ?? {}));
        return /[={]/.test(cell(sample));
      })
      .map((name) => `${list.id} ${name}`);
  });
  expect(raw).toEqual([]);
});

it('a missing argument says that it is a name or an id, and which command shows them', () => {
  const silent = document.commands.flatMap((command) => {
    const { args, pathParameters } = shapeOf(document, command);
    return args
      .slice(0, pathParameters.length)
      .filter(({ description }) => !/hostplane .+ (lists|shows) them\.$/.test(description))
      .map(({ name }) => `${command.id} ${name}`);
  });
  expect([...new Set(silent)]).toEqual([]);
});

it('only names of commands that operators still have are redirected to hostplane admin', async () => {
  const help = (await runCommand(['--help'])).out;
  for (const name of movedNames) expect(help).toMatch(new RegExp(`^ {2}${name}(?: |$)`, 'm'));
});

describe('forms', () => {
  const MACHINES = '/flexible-vps/v1/vms';
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());

  it('of all creating calls are accepted with the values that their pickers offer', async () => {
    const { world } = site;
    for (const path of ['ssh-keys', 'networks', 'placement-groups', 'images'])
      await paramsFor({ path: `/flexible-vps/v1/${path}/{id}` }, world);
    const id = (await fixtureOf(MACHINES)?.make?.(world, {})) ?? '';
    await fixtureOf(`${MACHINES}/{id}/snapshots`)?.make?.(world, { id });
    const filler = new Filler(world);
    const creates = endpoints.filter(
      ({ resource: { role }, body }) => role === 'create' && body !== undefined,
    );
    const refused: string[] = [];
    let accepted = 0;
    for (const endpoint of creates) {
      const isOfMachine = endpoint.path.startsWith(`${MACHINES}/`) && paramNames(endpoint).length === 1;
      const params = isOfMachine ? { id } : await paramsFor(endpoint, world);
      const shape = shapes.find(({ operation }) => operation.id === endpoint.id);
      for (const form of formsOf(endpoint, params)) {
        if (exemptFrom('formsFilled').includes(form.title)) continue;
        const body = await filler.fill(form);
        if (shape === undefined || !Object.keys(form.choices).every((at) => isObject(valueAt(body, at))))
          continue;
        const line = ['api', endpoint.id, ...Object.values(params), ...flagsFor(shape, body), '--dry-run'];
        const { code, err } = await site.line(line);
        if (code === 0) accepted += 1;
        else refused.push(`${form.title}: ${err}`);
      }
    }
    expect(refused).toEqual([]);
    expect(accepted).toBeGreaterThanOrEqual(creates.length);
  });
});

/** An object with a value for each of its members. */
const sampleOf = ({ properties = {} }: Schema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      document.schemas.plain(member).type === 'integer' ? 1 : 'x',
    ]),
  );

/** The value at a JSON Pointer, of the first item where it says `*`. */
function valueAt(body: unknown, pointer: string): unknown {
  let found = body;
  for (const name of pointer.split('/').slice(1))
    found = Array.isArray(found) ? found[0] : isObject(found) ? found[name] : undefined;
  return found;
}
