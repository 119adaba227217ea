/**
 * What infrastructure as code needs to know about each resource that can be managed, read from the published document
 * alone: a resource that is added to the API is here without a change.
 */
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import { type Entry, entriesOf, Resolver } from '../openapi/resolved.ts';
import { type ActionChange, actionOn } from './actions.ts';
import { bodyOf, callOf } from './calls.ts';
import { inputsOf } from './inputs.ts';
import { type Lookup, lookupsOf } from './lookups.ts';
import type { ManagedResource } from './managed.ts';
import { outputsOf } from './outputs.ts';
import { membersOf, type Plain, plainOf } from './schemas.ts';
import { type Setting, settingsOf } from './settings.ts';

export interface IacModel {
  readonly title: string;
  readonly baseUrl: string;
  readonly resources: readonly ManagedResource[];
  /** What connects two resources and is added to one of them by a call, such as the attachment of a firewall. */
  readonly attachments: readonly ManagedResource[];
  /** Members of a resource that name another one and can be set alone, such as the machine of a volume. */
  readonly settings: readonly Setting[];
  /** What a file can find and does not make. */
  readonly lookups: readonly Lookup[];
  /** By operation that lists: the resource that it lists. */
  readonly lists: Readonly<Record<string, string>>;
}

const READ_OPERATIONS = 'getOperation';

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

interface Group {
  readonly entries: readonly Entry[];
  readonly byId: ReadonlyMap<string, Entry>;
  readonly resolver: Resolver;
}

function exampleOf({ operation }: Entry, resolver: Resolver): Readonly<Record<string, unknown>> {
  const media = operation.requestBody?.content['application/json'];
  return ((media && resolver.example(media)) ?? {}) as Readonly<Record<string, unknown>>;
}

function familyOf(operation: Operation, path: string, { 'x-tagGroups': groups }: OpenApiDocument) {
  const [, slug = ''] = path.split('/');
  const name = groups.find(({ tags }) => tags.some((tag) => operation.tags.includes(tag)))?.name ?? slug;
  return { slug, name };
}

/** What its deletion takes along, as its description begins; the resource itself if that does not say it. */
function lossOf({ operation: { description } }: Entry, name: string): string {
  const [first = ''] = description.split(/(?<=\.)\s/);
  const itself = `Deletes the ${name.replaceAll('_', ' ')} and all that it holds.`;
  if (/^deletes /i.test(first)) return first;
  return /\bdeletes /i.test(first) ? `${itself} ${first}` : itself;
}

function managed(
  name: string,
  { entries, byId, resolver }: Group,
  adder?: Entry,
): ManagedResource | undefined {
  const withRole = (role: string) => entries.find(({ operation }) => operation['x-resource'].role === role);
  const declare = withRole('declare');
  // What is there from the beginning, once, is neither created nor destroyed.
  if (declare !== undefined && declare.operation['x-resource'].parameter === undefined) return undefined;
  const create = declare ?? withRole('create') ?? adder;
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
  const body = bodyOf(create, resolver);
  const actions = actionsOn(removal, body, { byId, resolver });
  const inputs = inputsOf({
    body,
    patch: update === undefined ? undefined : bodyOf(update, resolver),
    shown,
    key: declare === undefined ? undefined : key,
  });
  const pageSize = pageSizeOf(reader, resolver);
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
    ...(adder !== undefined && create === adder && removal !== undefined ? { createdAs: parameter } : {}),
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
    actions,
    ...(removal.operation['x-access'] === 'destructive' ? { loss: lossOf(removal, name) } : {}),
    permissions: [
      ...new Set(
        [...calls, reader, ...(operations === undefined ? [] : [operations])]
          .map(({ operation }) => operation['x-permission'])
          .concat(Object.values(actions).map(({ call }) => call.permission)),
      ),
    ].sort(),
    example: exampleOf(create, resolver),
    updateExample: update === undefined ? {} : exampleOf(update, resolver),
  };
}

/** By member of the creation: the action on the resource that changes it. */
function actionsOn(
  { path }: Entry,
  body: Plain,
  { byId, resolver }: Pick<Group, 'byId' | 'resolver'>,
): Record<string, ActionChange> {
  return Object.fromEntries(
    Object.entries(membersOf(body)).flatMap(([name, schema]) => {
      const calls = Object.entries(schema['x-changed-by'] ?? {})
        .filter(([, pointer]) => pointer === `/${name}`)
        .flatMap(([id]) => byId.get(id) ?? [])
        .filter((entry) => entry.path.startsWith(`${path}/`));
      const found = calls.flatMap((entry) => actionOn(entry, name, resolver) ?? []);
      return found[0] === undefined ? [] : [[name, found[0]]];
    }),
  );
}

/**
 * What is added to a resource by a call and removed by another: `POST …/attachments`, `DELETE …/attachments/{id}`. A
 * part that the resource itself has as an input, such as a rule of a firewall, is managed there.
 */
function attachmentsOf(
  resources: readonly ManagedResource[],
  all: readonly Entry[],
  group: Omit<Group, 'entries'>,
): ManagedResource[] {
  return all.flatMap((removal) => {
    const { name, role, parent, read } = removal.operation['x-resource'];
    if (role !== 'delete' || resources.some((each) => each.name === name)) return [];
    const holder = resources.find((each) => each.name === parent?.name);
    const isInput = holder?.inputs.some((input) => `/${input.name}` === read?.in);
    const place = removal.path.slice(0, removal.path.lastIndexOf('/'));
    const adder = all.find(({ path, method }) => path === place && method === 'POST');
    if (holder === undefined || isInput || adder === undefined) return [];
    return managed(name, { ...group, entries: [removal] }, adder) ?? [];
  });
}

/** All resources that can be created (or declared by a name), read and deleted, in the order of the document. */
export function iacModel(document: OpenApiDocument): IacModel {
  const resolver = new Resolver(document);
  const entries = entriesOf(document);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const nameOf = ({ operation }: Entry): string => operation['x-resource'].name;
  const resources = [...new Set(entries.map(nameOf))].flatMap((name) => {
    const own = entries.filter((entry) => nameOf(entry) === name);
    return managed(name, { entries: own, byId, resolver }) ?? [];
  });
  const listing = entries.filter(({ operation }) => operation['x-resource'].role === 'list');
  const lists = Object.fromEntries(listing.map((entry) => [entry.id, nameOf(entry)]));
  const shownBy = ({ read }: ManagedResource): Plain => {
    const reader = byId.get(read.id);
    return reader === undefined ? {} : answerOf(reader, read.in, resolver);
  };
  return {
    title: document.info.title,
    baseUrl: document.servers[0]?.url ?? '',
    resources,
    attachments: attachmentsOf(resources, entries, { byId, resolver }),
    settings: resources.flatMap((resource) =>
      settingsOf(resource, { shown: shownBy(resource), lists, byId, resolver }),
    ),
    lookups: lookupsOf(resources, entries, resolver, (entry) => answerOf(entry, '/data', resolver)),
    lists,
  };
}
