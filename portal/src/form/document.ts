/** One operation of the live document, as far as forms and pages that are made from it need it. */

/**
 * As `resolve` returns it: references are followed, `allOf` is merged, and a schema that also allows null is the schema
 * without it and `nullable`. Its members and items are resolved in turn where they are used.
 */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export type Resolve = (schema: Schema) => Schema;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** What `x-resource` says: docs/specification.md. */
interface ResourceRole {
  readonly name: string;
  readonly role: 'list' | 'read' | 'create' | 'update' | 'declare' | 'delete' | 'action';
  readonly parameter?: string;
  readonly parent?: { readonly name: string; readonly parameter: string };
  readonly key?: string;
  readonly read?: { readonly operation: string; readonly in?: string; readonly filter?: string };
}

interface Work {
  readonly kind: string;
  readonly sometimes?: boolean;
  readonly [member: string]: unknown;
}

export interface Described {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly access: string;
  readonly permission: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly example: unknown;
  /** The JSON of the answer to a call that succeeds; null if it has no body. */
  readonly answer: Schema | null;
  /** One row, if the answer is a page of a list. */
  readonly answerItem: Schema | null;
  readonly resource: ResourceRole | null;
  /** The operation that the call starts. */
  readonly work: Work | null;
  /** Whether the call changes the bill. */
  readonly cost: 'raises' | 'lowers' | 'either' | null;
  /** It shows secrets, or gives access. */
  readonly sensitive: boolean;
  readonly resolve: Resolve;
}

type Json = Record<string, unknown>;
type Media = { readonly schema: Schema; readonly example?: unknown };

/** The members of both, and what either requires. Other keywords of `over` win. */
function merged(under: Schema, over: Schema): Schema {
  const together = { ...under, ...over };
  if (under['properties'] === undefined && over['properties'] === undefined) return together;
  return {
    ...together,
    properties: { ...(under['properties'] as Json), ...(over['properties'] as Json) },
    required: [under['required'] ?? [], over['required'] ?? []].flat(),
  };
}

const isNull = ({ type }: Schema): boolean => type === 'null';

function withoutNull(schema: Schema): Schema {
  const { type } = schema;
  if (!Array.isArray(type) || !type.includes('null')) return schema;
  const others = type.filter((each) => each !== 'null');
  return { ...schema, type: others.length === 1 ? others[0] : others, nullable: true };
}

export function resolverOf(follow: (reference: string) => Schema): Resolve {
  const resolve: Resolve = ({ $ref, allOf, anyOf, oneOf, ...own }) => {
    if (typeof $ref === 'string') return merged(resolve(follow($ref)), resolve({ ...own }));
    if (Array.isArray(allOf)) return [...allOf, own].map(resolve).reduce(merged);
    const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
    if (choices === undefined) return withoutNull(own);
    const found = choices.filter((each) => !isNull(each));
    const nullable = found.length < choices.length ? { nullable: true } : {};
    const [only] = found;
    if (only !== undefined && found.length === 1) return { ...merged(resolve(only), own), ...nullable };
    return { ...own, oneOf: found, ...nullable };
  };
  return resolve;
}

/** Of alternatives, the members that all of them have, as the first one describes them. */
function commonOf(schema: Schema, resolve: Resolve): Schema {
  const [first, ...others] = ((schema['oneOf'] ?? []) as readonly Schema[]).map(
    (each) => (resolve(each)['properties'] ?? {}) as Json,
  );
  if (first === undefined) return schema;
  const shared = Object.entries(first).filter(([name]) => others.every((each) => Object.hasOwn(each, name)));
  return { ...schema, properties: Object.fromEntries(shared) };
}

/** In the path of a declaration, the name may be one that the list does not have yet. */
function openFor(resource: ResourceRole | null, parameter: Parameter): Parameter {
  const reference = parameter.schema['x-ref'] as Json | undefined;
  if (resource?.role !== 'declare' || resource.parameter !== parameter.name || !reference) return parameter;
  return { ...parameter, schema: { ...parameter.schema, 'x-ref': { ...reference, open: true } } };
}

export function describe(document: Json, id: string): Described | null {
  const components = document['components'] as Record<string, Record<string, Json>>;
  const follow = (reference: string): Json => {
    const [, , section = '', name = ''] = reference.split('/');
    return components[section]?.[name] ?? {};
  };
  const followed = (part: Json): Json => (typeof part['$ref'] === 'string' ? follow(part['$ref']) : part);
  const resolve = resolverOf(follow);
  const mediaOf = (part: unknown): Media | undefined =>
    (followed((part ?? {}) as Json)['content'] as Record<string, Media> | undefined)?.['application/json'];
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Json>>))
    for (const [verb, operation] of Object.entries(item)) {
      if (operation['operationId'] !== id) continue;
      const sent = mediaOf(operation['requestBody']);
      const responses = (operation['responses'] ?? {}) as Json;
      const answer = ['200', '201', '202'].map((status) => mediaOf(responses[status])).find(Boolean);
      const answered = answer === undefined ? null : resolve(answer.schema);
      const rows = (answered?.['properties'] as Record<string, Schema> | undefined)?.['data'];
      const items = rows === undefined ? undefined : (resolve(rows)['items'] as Schema | undefined);
      const resource = (operation['x-resource'] ?? null) as ResourceRole | null;
      return {
        method: verb.toUpperCase(),
        path,
        summary: String(operation['summary']),
        access: String(operation['x-access']),
        permission: String(operation['x-permission']),
        parameters: ((operation['parameters'] ?? []) as Json[])
          .map((each) => followed(each) as unknown as Parameter)
          .map((each) => openFor(resource, { ...each, schema: resolve(each.schema) })),
        body: sent === undefined ? null : resolve(sent.schema),
        example: sent?.example ?? null,
        answer: answered,
        answerItem:
          resource?.role === 'list' && items !== undefined ? commonOf(resolve(items), resolve) : null,
        resource,
        work: (operation['x-operation'] ?? null) as Work | null,
        cost: (operation['x-cost'] ?? null) as Described['cost'],
        sensitive: operation['x-sensitive'] === true,
        resolve,
      };
    }
  return null;
}
