/**
 * The types of resources that people see in the portal, made from the marks of the document: which call lists, reads,
 * creates, changes and deletes them, and which types belong to others. The product pages are built from this alone.
 */
import type { JsonSchema, OpenApiDocument } from '../../openapi/model.ts';
import { type Entry, entriesOf, Resolver } from '../../openapi/resolved.ts';

export interface NounCall {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly access: string;
  /** The body has a member that decides what is done, such as `type` of the power actions: one act for each value. */
  readonly choice?: { readonly member: string; readonly values: readonly string[] };
  /** Values that a row must have: an image of the provider cannot be deleted. */
  readonly only?: Readonly<Record<string, unknown>>;
}

export interface Noun {
  readonly name: string;
  readonly family: string;
  /** The last part of the addresses of its pages, unique within its family and its parent. */
  readonly slug: string;
  /** Several of them, in words; absent if the document has none. */
  readonly title?: string;
  readonly purpose: string;
  /** The member whose value names one in the path of a call. */
  readonly key: string;
  readonly parent?: { readonly noun: string; readonly parameter: string };
  /** The account, or the parent, has exactly one, which is there from the beginning: `declare` changes it. */
  readonly isOnly?: true;
  /** Where the rows are: in the answer of a list, or, for parts of a parent, in a member of the parent's own answer. */
  readonly rows?: {
    readonly operation: string;
    readonly path: string;
    readonly in: string;
    /** The filter that leaves the one row with this key. */
    readonly filter?: string;
  };
  readonly read?: NounCall;
  readonly create?: NounCall;
  readonly declare?: NounCall;
  readonly update?: NounCall;
  readonly delete?: NounCall;
  /** Calls about one of them. */
  readonly actions: readonly NounCall[];
  /** Calls about several of them at once. */
  readonly bulk: readonly NounCall[];
  /** Other lists that can be narrowed to what belongs to one of these, by this filter. */
  readonly related: readonly { readonly noun: string; readonly filter: string; readonly value: string }[];
}

export interface NounFamily {
  readonly slug: string;
  readonly title: string;
  readonly purpose: string;
  readonly nouns: readonly Noun[];
}

interface Ref {
  readonly list: string;
  readonly value: string;
  readonly filters?: Readonly<Record<string, { readonly equals?: unknown }>>;
}

const fixedParts = (path: string): string[] =>
  path
    .split('/')
    .slice(3)
    .filter((part) => part !== '' && !part.startsWith('{'));

const familyOf = (path: string): string => path.split('/')[1] ?? '';

function choiceOf({ operation }: Entry, resolver: Resolver): NounCall['choice'] {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return undefined;
  const { required = [], properties = {} } = resolver.schema(schema) as {
    required?: readonly string[];
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  const [member, ...others] = required.filter((name) => {
    const found = properties[name];
    return found !== undefined && Array.isArray(resolver.schema(found)['enum']);
  });
  if (member === undefined || others.length > 0) return undefined;
  return { member, values: resolver.schema(properties[member] ?? {})['enum'] as readonly string[] };
}

/** The last parameter of the path names the row; it says which filter of the list leaves the rows that it may name. */
function onlyOf({ operation }: Entry, resolver: Resolver): NounCall['only'] {
  const named = operation.parameters
    .map((parameter) => resolver.parameter(parameter))
    .findLast(({ in: place }) => place === 'path');
  const ref = named && (resolver.schema(named.schema)['x-ref'] as Ref | undefined);
  const wanted = Object.entries(ref?.filters ?? {}).flatMap(([name, { equals }]) =>
    equals === undefined ? [] : [[name, equals]],
  );
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}

function callOf(entry: Entry, resolver: Resolver): NounCall {
  const only = onlyOf(entry, resolver);
  return {
    id: entry.id,
    method: entry.method,
    path: entry.path,
    summary: entry.operation.summary,
    access: entry.operation['x-access'],
    ...(only === undefined ? {} : { only }),
  };
}

const actionOf = (entry: Entry, resolver: Resolver): NounCall => {
  const choice = choiceOf(entry, resolver);
  return { ...callOf(entry, resolver), ...(choice === undefined ? {} : { choice }) };
};

const isAboutOne = ({ operation }: Entry, name: string): boolean => {
  const { parameter, parent } = operation['x-resource'];
  return parameter !== undefined || parent?.name === name;
};

/** Filters that say what a resource could be used for, such as `for_volume`, say nothing about what belongs to it. */
const saysPossible = (filter: string): boolean => filter.startsWith('for_');

/** Only lists of what customers own: a plan does not belong to the location that offers it. */
function relatedTo(list: string | undefined, all: readonly Entry[], resolver: Resolver): Noun['related'] {
  const owned = new Set(
    all
      .filter(({ operation }) => operation['x-resource'].role === 'delete')
      .map(({ operation }) => operation['x-resource'].name),
  );
  return all
    .filter(
      ({ id, operation: { 'x-resource': mark } }) => mark.role === 'list' && !mark.parent && id !== list,
    )
    .filter(({ operation }) => owned.has(operation['x-resource'].name))
    .flatMap(({ operation }) => {
      const filter = operation.parameters
        .map((parameter) => resolver.parameter(parameter))
        .filter(({ in: place, name }) => place === 'query' && !saysPossible(name))
        .map(({ name, schema }) => ({ name, ref: resolver.schema(schema)['x-ref'] as Ref | undefined }))
        .find(({ ref }) => ref !== undefined && ref.list === list);
      if (filter?.ref === undefined) return [];
      return [{ noun: operation['x-resource'].name, filter: filter.name, value: filter.ref.value }];
    });
}

function rowsOf(entries: readonly Entry[], all: readonly Entry[]): Noun['rows'] {
  const list = entries.find(({ operation }) => operation['x-resource'].role === 'list');
  const reads = entries.map(({ operation }) => operation['x-resource'].read);
  if (list !== undefined) {
    const filter = reads.find((read) => read?.operation === list.id)?.filter;
    return { operation: list.id, path: list.path, in: '/data', ...(filter === undefined ? {} : { filter }) };
  }
  const mark = reads.find((read) => read?.in);
  const owner = all.find(({ id }) => id === mark?.operation);
  return owner && mark?.in ? { operation: owner.id, path: owner.path, in: mark.in } : undefined;
}

const isOnly = (declare: Entry | undefined): boolean =>
  declare !== undefined && declare.operation['x-resource'].parameter === undefined;

function nounOf(name: string, entries: readonly Entry[], all: readonly Entry[], resolver: Resolver): Noun {
  const { document } = resolver;
  const byRole = (role: string) => entries.find(({ operation }) => operation['x-resource'].role === role);
  const [first] = entries;
  const tag = document.tags.find((each) => each.name === name);
  const rows = rowsOf(entries, all);
  const marks = entries.map(({ operation }) => operation['x-resource']);
  const parent = marks.find((mark) => mark.parent !== undefined)?.parent;
  const key = marks.find((mark) => mark.key !== undefined)?.key ?? 'id';
  const found = { read: byRole('read'), create: byRole('create'), declare: byRole('declare') };
  const changing = { update: byRole('update'), delete: byRole('delete') };
  const calls = Object.fromEntries(
    Object.entries({ ...found, ...changing }).flatMap(([role, entry]) =>
      entry === undefined ? [] : [[role, callOf(entry, resolver)]],
    ),
  );
  const actions = entries.filter(({ operation }) => operation['x-resource'].role === 'action');
  const list = entries.find(({ operation }) => operation['x-resource'].role === 'list');
  return {
    name,
    family: familyOf(first?.path ?? ''),
    slug:
      fixedParts((list ?? found.create ?? found.declare ?? changing.delete ?? first)?.path ?? '').at(-1) ??
      name,
    ...(tag === undefined ? {} : { title: tag['x-displayName'] }),
    purpose: tag?.description ?? '',
    key,
    ...(parent === undefined ? {} : { parent: { noun: parent.name, parameter: parent.parameter } }),
    ...(isOnly(found.declare) ? { isOnly: true } : {}),
    ...(rows === undefined ? {} : { rows }),
    ...calls,
    actions: actions.filter((entry) => isAboutOne(entry, name)).map((entry) => actionOf(entry, resolver)),
    bulk: actions.filter((entry) => !isAboutOne(entry, name)).map((entry) => actionOf(entry, resolver)),
    related: relatedTo(list?.id, all, resolver),
  };
}

export function nounsOf(document: OpenApiDocument): NounFamily[] {
  const resolver = new Resolver(document);
  const all = entriesOf(document);
  const known = [...new Set(all.map(({ operation }) => operation['x-resource'].name))];
  const nouns = known.map((name) =>
    nounOf(
      name,
      all.filter(({ operation }) => operation['x-resource'].name === name),
      all,
      resolver,
    ),
  );
  return document['x-tagGroups'].map(({ name: title, description, tags }) => {
    const own = all.filter(({ operation }) => operation.tags.some((tag) => tags.includes(tag)));
    const names = new Set(own.map(({ operation }) => operation['x-resource'].name));
    return {
      slug: familyOf(own[0]?.path ?? ''),
      title,
      purpose: description,
      nouns: nouns.filter(({ name }) => names.has(name)),
    };
  });
}
