/**
 * What infrastructure as code needs to know about each resource that can be managed, read from the published document
 * alone: a resource that is added to the API is here without a change.
 */
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import { type Entry, entriesOf, Resolver } from '../openapi/resolved.ts';
import { type Input, inputsOf } from './inputs.ts';
import { type Output, outputsOf } from './outputs.ts';
import { membersOf, type Plain, plainOf } from './schemas.ts';

/** One operation, as far as a tool has to know how to call it. */
export interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  /** It always starts an operation; the answer names it in `Operation-Location`. */
  readonly startsOperation: boolean;
  /** It starts an operation only if the request asks for something that takes time. */
  readonly mayStartOperation: boolean;
  /** It can be asked to wait with the header `Prefer: wait=60`. */
  readonly waits: boolean;
  /** With `?on_failure=delete`, a creation that fails leaves nothing. */
  readonly cleansUp: boolean;
  readonly takesIdempotencyKey: boolean;
}

export interface Read {
  readonly id: string;
  readonly path: string;
  readonly permission: string;
  /** Where in the answer the list is that has the resource; absent if the answer is the resource. */
  readonly in?: string;
  /** The query parameter that narrows the list to the resource. */
  readonly filter?: string;
  /** The most items that one answer of the list has, if the query asks for them with `limit`. */
  readonly pageSize?: number;
}

export interface States {
  readonly member: string;
  /** States that end by themselves. */
  readonly transient: readonly string[];
}

export interface ManagedResource {
  readonly name: string;
  /** The name for people, such as `Private networks`. */
  readonly title: string;
  readonly description: string;
  readonly family: { readonly slug: string; readonly name: string };
  /** The caller chooses its name, and PUT creates or replaces it. */
  readonly isDeclared: boolean;
  /** The member whose value names it in paths. */
  readonly key: string;
  /** The path parameter for `key`. */
  readonly parameter: string;
  /** The resource that it is a part of: its name, its path parameter, and the input that takes its id. */
  readonly parent?: { readonly name: string; readonly parameter: string; readonly input: string };
  readonly create: Call;
  readonly update?: Call;
  readonly delete: Call;
  readonly read: Read;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly states?: States;
  /** The least that a key needs to create, change, read and delete it. */
  readonly permissions: readonly string[];
  /** A body of a creation and one of an update, as the document shows them. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly updateExample: Readonly<Record<string, unknown>>;
}

export interface IacModel {
  readonly title: string;
  readonly baseUrl: string;
  readonly resources: readonly ManagedResource[];
  /** By operation that lists: the resource that it lists. */
  readonly lists: Readonly<Record<string, string>>;
}

const READ_OPERATIONS = 'getOperation';

const parameterNames = ({ operation }: Entry, resolver: Resolver): Set<string> =>
  new Set((operation.parameters ?? []).map((parameter) => resolver.parameter(parameter).name));

function callOf(entry: Entry, resolver: Resolver): Call {
  const names = parameterNames(entry, resolver);
  const { 'x-operation': started } = entry.operation;
  return {
    id: entry.id,
    method: entry.method,
    path: entry.path,
    permission: entry.operation['x-permission'],
    startsOperation: started !== undefined && started.sometimes !== true,
    mayStartOperation: started?.sometimes === true,
    waits: names.has('Prefer'),
    cleansUp: names.has('on_failure'),
    takesIdempotencyKey: names.has('Idempotency-Key'),
  };
}

function pageSizeOf({ operation }: Entry, resolver: Resolver): number | undefined {
  const parameters = (operation.parameters ?? []).map((parameter) => resolver.parameter(parameter));
  const limit = parameters.find(({ name }) => name === 'limit');
  return limit && plainOf(limit.schema, resolver).maximum;
}

/** What the answer of a call contains, or the part of it at a JSON Pointer: the items of a list there. */
function answerOf({ operation }: Entry, at: string | undefined, resolver: Resolver): Plain {
  const media = resolver.response(operation.responses['200'] ?? { description: '' }).content?.[
    'application/json'
  ];
  const answer = plainOf(media?.schema ?? {}, resolver);
  if (at === undefined) return answer;
  const list = at
    .split('/')
    .slice(1)
    .reduce((schema, name) => membersOf(schema)[name] ?? {}, answer);
  return list.items ?? {};
}

function statesOf(resource: Plain): States | undefined {
  for (const [member, schema] of Object.entries(membersOf(resource))) {
    const states = schema['x-states'];
    if (states !== undefined) return { member, transient: states.transient };
  }
  return undefined;
}

interface Group {
  readonly entries: readonly Entry[];
  readonly byId: ReadonlyMap<string, Entry>;
  readonly resolver: Resolver;
}

const bodyOf = ({ operation }: Entry, resolver: Resolver): Plain =>
  plainOf(operation.requestBody?.content['application/json']?.schema ?? {}, resolver);

function exampleOf({ operation }: Entry, resolver: Resolver): Readonly<Record<string, unknown>> {
  const media = operation.requestBody?.content['application/json'];
  return ((media && resolver.example(media)) ?? {}) as Readonly<Record<string, unknown>>;
}

function familyOf(operation: Operation, path: string, { 'x-tagGroups': groups }: OpenApiDocument) {
  const [, slug = ''] = path.split('/');
  const name = groups.find(({ tags }) => tags.some((tag) => operation.tags.includes(tag)))?.name ?? slug;
  return { slug, name };
}

function managed(name: string, { entries, byId, resolver }: Group): ManagedResource | undefined {
  const withRole = (role: string) => entries.find(({ operation }) => operation['x-resource'].role === role);
  const declare = withRole('declare');
  const create = declare ?? withRole('create');
  const removal = withRole('delete');
  const mark = removal?.operation['x-resource'];
  const reader = byId.get(mark?.read?.operation ?? '');
  if (create === undefined || removal === undefined || mark?.read === undefined || reader === undefined)
    return undefined;
  const { parent, key = 'id', parameter = 'id' } = mark;
  const update = declare === undefined ? withRole('update') : undefined;
  const shown = answerOf(reader, mark.read.in, resolver);
  const calls = [create, ...(update === undefined ? [] : [update]), removal];
  const follows = calls.some(({ operation }) => operation['x-operation'] !== undefined);
  const operations = follows ? byId.get(READ_OPERATIONS) : undefined;
  const inputs = inputsOf({
    body: bodyOf(create, resolver),
    patch: update === undefined ? undefined : bodyOf(update, resolver),
    shown,
    key: declare === undefined ? undefined : key,
  });
  const pageSize = pageSizeOf(reader, resolver);
  const states = statesOf(shown);
  const tag = resolver.document.tags.find((each) => create.operation.tags.includes(each.name));
  return {
    name,
    title: tag?.name === name ? tag['x-displayName'] : create.operation.summary,
    description: create.operation.description.split('\n\n')[0] ?? '',
    family: familyOf(create.operation, create.path, resolver.document),
    isDeclared: declare !== undefined,
    key,
    parameter,
    ...(parent === undefined ? {} : { parent: { ...parent, input: `${parent.name}_id` } }),
    create: callOf(create, resolver),
    ...(update === undefined ? {} : { update: callOf(update, resolver) }),
    delete: callOf(removal, resolver),
    read: {
      id: reader.id,
      path: reader.path,
      permission: reader.operation['x-permission'],
      ...(mark.read.in === undefined ? {} : { in: mark.read.in }),
      ...(mark.read.filter === undefined ? {} : { filter: mark.read.filter }),
      ...(pageSize === undefined ? {} : { pageSize }),
    },
    inputs,
    outputs: outputsOf(shown, inputs),
    ...(states === undefined ? {} : { states }),
    permissions: [
      ...new Set(
        [...calls, reader, ...(operations === undefined ? [] : [operations])].map(
          ({ operation }) => operation['x-permission'],
        ),
      ),
    ].sort(),
    example: exampleOf(create, resolver),
    updateExample: update === undefined ? {} : exampleOf(update, resolver),
  };
}

/** All resources that can be created (or declared), read and deleted, in the order of the document. */
export function iacModel(document: OpenApiDocument): IacModel {
  const resolver = new Resolver(document);
  const entries = entriesOf(document);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const nameOf = ({ operation }: Entry): string => operation['x-resource'].name;
  const resources = [...new Set(entries.map(nameOf))].flatMap((name) => {
    const own = entries.filter((entry) => nameOf(entry) === name);
    return managed(name, { entries: own, byId, resolver }) ?? [];
  });
  const lists = entries.filter(({ operation }) => operation['x-resource'].role === 'list');
  return {
    title: document.info.title,
    baseUrl: document.servers[0]?.url ?? '',
    resources,
    lists: Object.fromEntries(lists.map((entry) => [entry.id, nameOf(entry)])),
  };
}
