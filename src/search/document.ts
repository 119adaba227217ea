/** What the search needs of an OpenAPI document: for each operation its texts, by how much they say about it. */

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly 'x-enum-descriptions'?: readonly string[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content & { readonly $ref?: string }>>;
  readonly 'x-permission'?: string;
  readonly 'x-problem-codes'?: readonly string[];
  readonly 'x-resource'?: {
    readonly name: string;
    readonly role: string;
    readonly parent?: { readonly name: string };
  };
}

export interface ApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tags?: readonly {
    readonly name: string;
    readonly 'x-displayName'?: string;
    readonly description?: string;
  }[];
  readonly components?: object;
}

/** A kind of thing that the API is about, with the operations on it. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
}

/** One of the things that an action can do, and what the document says about it. */
export interface Kind {
  readonly value: string;
  readonly meaning: string;
}

export interface Described {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly family: string;
  readonly summary: string;
  readonly description: string;
  readonly permission: string;
  readonly codes: readonly string[];
  readonly resource: string;
  readonly role: string;
  readonly parent: string | undefined;
  readonly topic: Topic;
  /** The names of what can be sent. */
  readonly members: readonly string[];
  /** The names of what is shown, if the operation only reads. */
  readonly shown: readonly string[];
  /** The values that a member of the body can have. */
  readonly choices: readonly string[];
  /** The values of the member `type` of the body, which names what an action does. */
  readonly kinds: readonly Kind[];
}

/** Deeper members describe details that nobody searches for. */
const DEPTH = 3;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Found {
  readonly members: string[];
  readonly choices: string[];
}

function lookUp(document: ApiDocument, reference: string): unknown {
  let at: unknown = document;
  for (const part of reference.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[part];
  return at;
}

function collect(document: ApiDocument, schema: Schema | undefined, found: Found, depth: number): void {
  if (schema === undefined || depth <= 0) return;
  if (schema.$ref !== undefined) {
    // A reference costs a little of the depth, so that a schema that refers to itself comes to an end.
    collect(document, lookUp(document, schema.$ref) as Schema | undefined, found, depth - 0.1);
    return;
  }
  const values = [...(schema.enum ?? []), schema.const];
  found.choices.push(...values.filter((value) => typeof value === 'string'));
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    collect(document, part, found, depth);
  collect(document, schema.items, found, depth - 1);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    found.members.push(name);
    collect(document, member, found, depth - 1);
  }
}

function kindsOf(document: ApiDocument, schema: Schema | undefined): Kind[] {
  const { enum: values = [], 'x-enum-descriptions': meanings = [] } =
    schema?.$ref === undefined ? (schema ?? {}) : (lookUp(document, schema.$ref) as Schema);
  return values.flatMap((value, i) =>
    typeof value === 'string' ? [{ value, meaning: meanings[i] ?? '' }] : [],
  );
}

function describedOf(document: ApiDocument, path: string, method: string, raw: RawOperation): Described {
  const found: Found = { members: [], choices: [] };
  const kinds: Kind[] = [];
  for (const { schema } of Object.values(raw.requestBody?.content ?? {})) {
    collect(document, schema, found, DEPTH);
    kinds.push(...kindsOf(document, schema?.properties?.['type']));
  }
  for (const each of raw.parameters ?? []) {
    const parameter = each.$ref === undefined ? each : (lookUp(document, each.$ref) as typeof each);
    if (parameter?.in === 'query' && parameter.name !== undefined) found.members.push(parameter.name);
  }
  const shown: Found = { members: [], choices: [] };
  const answer = method === 'get' ? raw.responses?.['200'] : undefined;
  const { content = {} } =
    answer?.$ref === undefined ? (answer ?? {}) : (lookUp(document, answer.$ref) as Content);
  for (const { schema } of Object.values(content)) collect(document, schema, shown, DEPTH);
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  const resource = raw['x-resource']?.name ?? (parts.at(-1) ?? '').replaceAll('-', '_');
  const tag = raw.tags?.[0] ?? resource;
  const topic = document.tags?.find(({ name }) => name === tag);
  return {
    id: raw.operationId ?? '',
    method: method.toUpperCase(),
    path,
    family: parts[0] ?? '',
    summary: raw.summary ?? '',
    description: (raw.description ?? '').replace(/\s*Permission: `[^`]*`.*$/s, ''),
    permission: raw['x-permission'] ?? '',
    codes: raw['x-problem-codes'] ?? [],
    resource,
    role: raw['x-resource']?.role ?? 'action',
    parent: raw['x-resource']?.parent?.name,
    topic: {
      name: tag,
      title: topic?.['x-displayName'] ?? tag.replaceAll('_', ' '),
      purpose: topic?.description ?? '',
    },
    ...found,
    shown: shown.members,
    kinds,
  };
}

export const operationsIn = (document: ApiDocument): Described[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const raw = item[method] as RawOperation | undefined;
      return raw?.operationId === undefined ? [] : [describedOf(document, path, method, raw)];
    }),
  );
