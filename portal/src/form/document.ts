/** One operation of the live document, as far as the explorer needs it. */

export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
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
  readonly resolve: (schema: Schema) => Schema;
}

type Json = Record<string, unknown>;

export function describe(document: Json, id: string): Described | null {
  const components = document['components'] as Record<string, Record<string, Json>>;
  const follow = (reference: string): Json => {
    const [, , section = '', name = ''] = reference.split('/');
    return components[section]?.[name] ?? {};
  };
  const resolve = (schema: Schema): Schema => {
    const { $ref, ...own } = schema;
    return typeof $ref === 'string' ? { ...resolve(follow($ref)), ...own } : schema;
  };
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Json>>))
    for (const [verb, operation] of Object.entries(item)) {
      if (operation['operationId'] !== id) continue;
      const media = (operation['requestBody'] as { content?: Record<string, Json> } | undefined)?.content?.[
        'application/json'
      ];
      return {
        method: verb.toUpperCase(),
        path,
        summary: String(operation['summary']),
        access: String(operation['x-access']),
        permission: String(operation['x-permission']),
        parameters: ((operation['parameters'] ?? []) as Json[]).map(
          (each) => (typeof each['$ref'] === 'string' ? follow(each['$ref']) : each) as unknown as Parameter,
        ),
        body: media === undefined ? null : resolve(media['schema'] as Schema),
        example: media?.['example'] ?? null,
        resolve,
      };
    }
  return null;
}
