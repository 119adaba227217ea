/** One operation of the document with its references followed, as far as a page needs them. */
import type {
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
  Verb,
} from './model.ts';

export interface Entry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const entriesOf = ({ paths }: OpenApiDocument): Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as [Verb, Operation][]).map(([verb, operation]) => ({
      id: operation.operationId,
      method: verb.toUpperCase(),
      path,
      operation,
    })),
  );

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export class Resolver {
  readonly document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.document = document;
  }

  #follow<Target>(reference: string): Target {
    const [, , section = '', name = ''] = reference.split('/');
    return (this.document.components as unknown as Sections)[section]?.[name] as Target;
  }

  /** Members beside a `$ref` (such as a description) win over those of the component. */
  schema(schema: JsonSchema): JsonSchema {
    const { $ref, ...own } = schema;
    if (typeof $ref !== 'string') return schema;
    return { ...this.schema(this.#follow<JsonSchema>($ref)), ...own };
  }

  /** As `schema`, and with the members of `allOf` as its own. */
  whole(unresolved: JsonSchema): JsonSchema {
    const { allOf, ...own } = this.schema(unresolved);
    if (allOf === undefined) return own;
    const parts = [...(allOf as readonly JsonSchema[]).map((part) => this.whole(part)), own];
    const required = parts.flatMap((part) => (part['required'] as readonly string[] | undefined) ?? []);
    return {
      ...Object.assign({}, ...parts),
      properties: Object.assign({}, ...parts.map((part) => part['properties'])),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    };
  }

  parameter(parameter: Parameter | Reference): Parameter {
    return '$ref' in parameter ? this.#follow<Parameter>(parameter.$ref) : parameter;
  }

  response(response: Response | Reference): Response {
    return '$ref' in response ? this.#follow<Response>(response.$ref) : response;
  }

  example({ example, examples }: MediaType): unknown {
    if (example !== undefined) return example;
    const [first] = Object.values(examples ?? {});
    return first === undefined ? undefined : this.#follow<{ value: unknown }>(first.$ref)?.value;
  }

  examples({ example, examples }: MediaType): readonly (readonly [string, unknown])[] {
    if (example !== undefined) return [['', example]];
    return Object.entries(examples ?? {}).map(
      ([name, reference]) => [name, this.#follow<{ value: unknown }>(reference.$ref)?.value] as const,
    );
  }
}

/** The codes that this operation can answer with, those of every call included. */
export function codesOf({ operation }: Entry, resolver: Resolver): string[] {
  const shared = resolver.response({ $ref: '#/components/responses/Problem' });
  return [...operation['x-problem-codes'], ...(shared['x-problem-codes'] ?? [])];
}
