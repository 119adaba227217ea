/** The specification matches the endpoint records, is committed as generated, and has no broken references. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { mayLoosen } from '../kernel/change-words/may-loosen.ts';
import { convertQuery } from '../kernel/query-string.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { faultsOf } from '../kernel/validation.ts';
import { DRY_RUN_FORMAT } from '../pipeline/format.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Reference,
  Response,
  Webhook,
} from '../surfaces/openapi/model.ts';
import { exampleDocument, snapshotText } from '../surfaces/openapi/snapshot.ts';
import { forCaller } from '../surfaces/openapi/subset.ts';
import { workshop } from '../testing/widgets.ts';

const root = join(import.meta.dirname, '../..');
const registry = buildRegistry(families);
const document = exampleDocument(registry);
const operations: readonly Operation[] = Object.values(document.paths).flatMap((item) => Object.values(item));
const named = operations.map((operation) => [operation.operationId, operation] as const);
const records = registry.endpoints.map((record) => [record.id, record] as const);

const UNIONS = ['oneOf', 'anyOf'];

interface Finding {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** Returns all findings, including warnings. */
function lint(file: string): Promise<string[]> {
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [cli, 'lint', file, '--config', join(root, 'redocly.yaml'), '--format=json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, cwd: root, maxBuffer: 64 << 20 }, (_, stdout, stderr) => {
      try {
        const { problems } = JSON.parse(stdout) as { problems: Finding[] };
        resolve(problems.map((p) => `${p.ruleId} at ${p.location[0]?.pointer}: ${p.message}`));
      } catch {
        reject(new Error(`The linter gave no report: ${stderr}`));
      }
    });
  });
}

function referencesIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

function resolve<T>(from: OpenApiDocument, part: T | Reference): T {
  if (part === null || typeof part !== 'object' || !('$ref' in part)) return part as T;
  const steps = part.$ref.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], from) as T;
}

/** The places where a schema has no type. A member that may hold any value has a description instead. */
function untyped(schema: JsonSchema, at: string): string[] {
  const says = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum', 'description'];
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const items = schema['items'];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ?? []) as JsonSchema[]);
  return [
    ...(says.some((word) => word in schema) ? [] : [at]),
    ...members.flatMap(([name, member]) => untyped(member, `${at}/${name}`)),
    ...(typeof items === 'object' && items !== null ? untyped(items as JsonSchema, `${at}[]`) : []),
    ...parts.flatMap((part) => untyped(part, at)),
  ];
}

describe('the committed document', () => {
  it('equals the generated one', () => {
    const committed = readFileSync(join(root, 'openapi.json'), 'utf8');
    expect(committed === snapshotText(registry), 'openapi.json is out of date: run `npm run spec`').toBe(
      true,
    );
  });

  it('passes the linter without warnings', async () => {
    expect(await lint('openapi.json')).toEqual([]);
  });

  it('would also pass with kinds of calls that no family has yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hostplane-spec-'));
    try {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, snapshotText(buildRegistry([...families, workshop])));
      expect(await lint(file)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe.each(records)('the example of %s', (_, record) => {
  const { example } = record;

  it('has valid parameters', () => {
    const shape = queryShapeOf(record);
    const query = { ...convertQuery(shape, {}).values, ...example.query };
    expect(faultsOf(record.params, example.params ?? {})).toEqual([]);
    expect(faultsOf(shape, query)).toEqual([]);
  });

  it('has a valid body', () => {
    expect(example.body === undefined).toBe(record.body === undefined);
    if (record.body !== undefined) expect(faultsOf(record.body, example.body)).toEqual([]);
  });

  it('has an answer that matches its schema', () => {
    const schema = record.answers[example.answer.status];
    expect(schema).toBeDefined();
    if (schema) expect(faultsOf(schema, example.answer.body)).toEqual([]);
    else expect(example.answer.body).toBeNull();
  });
});

/** The pointers of all objects with free member names whose values cannot be null. */
function mapsWithoutNull(schema: JsonSchema, pointer = ''): string[] {
  const values = schema.additionalProperties as JsonSchema | boolean | undefined;
  const isMap = typeof values === 'object';
  const here = isMap && ![values.type].flat().includes('null') ? [pointer] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    mapsWithoutNull(member, `${pointer}/${name}`),
  );
  return [...here, ...members];
}

describe('the body of a PATCH', () => {
  const patches = records.filter(([, { method }]) => method === 'PATCH');

  it.each(patches)(
    'of %s can remove every member of a map with null, as a merge patch does',
    (_, { body }) => {
      expect(mapsWithoutNull(body as JsonSchema)).toEqual([]);
    },
  );
});

describe('summaries', () => {
  it('are short and unique', () => {
    const summaries = operations.map(({ summary }) => summary);
    expect(summaries.filter((summary) => summary.length > 60 || summary.trim() === '')).toEqual([]);
    expect(new Set(summaries.map((summary) => summary.toLowerCase())).size).toBe(summaries.length);
  });
});

describe.each(named)('%s', (id, operation) => {
  const record = registry.endpoints.find((endpoint) => endpoint.id === id);

  it('has every extension', () => {
    expect(operation).toMatchObject({
      'x-permission': record?.permission,
      'x-access': expect.stringMatching(/^(read|write|destructive)$/),
      'x-resource':
        record?.part === undefined ? record?.resource : { name: record.part.name, role: record.part.role },
    });
    expect(operation['x-sensitive'] ?? false).toBe(record?.sensitive ?? false);
    expect(operation['x-may-loosen'] ?? false).toBe(record !== undefined && mayLoosen(record));
    expect('x-operation' in operation).toBe(record?.operation !== undefined);
  });

  it('has the tag of its resource, and an example with its first success', () => {
    expect(operation.tags).toEqual([record?.resource.name]);
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const contents = successes.flatMap(([, response]) =>
      Object.values(resolve<Response>(document, response).content ?? {}),
    );
    const shown = contents.map(
      ({ example, examples, schema }) =>
        example ?? examples ?? resolve<JsonSchema>(document, schema)['examples'],
    );
    expect(shown.some((example) => example !== undefined)).toBe(contents.length > 0);
  });

  it('has one schema per answer, so that generated clients have one type for it', () => {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const unions = successes.flatMap(([status, response]) =>
      Object.entries(resolve(document, response).content ?? {})
        .filter(([, { schema }]) => UNIONS.some((word) => word in resolve(document, schema)))
        .map(([format]) => `${status} ${format}`),
    );
    expect(unions).toEqual([]);
  });

  it('has a media type for dry runs if it changes something, and only then', () => {
    const { content = {} } = resolve(document, operation.responses['200'] ?? { description: '' });
    expect(content[DRY_RUN_FORMAT]?.schema).toEqual(
      operation['x-access'] === 'read' ? undefined : { $ref: '#/components/schemas/DryRun' },
    );
  });

  it('describes every member of its answers', () => {
    const schemas = Object.values(operation.responses)
      .flatMap((response) => Object.values(resolve(document, response).content ?? {}))
      .map(({ schema }) => schema);
    expect(schemas.flatMap((schema) => untyped(schema, ''))).toEqual([]);
  });

  it('is self-contained with exactly the schemas that it references', () => {
    const part = forCaller(document, new Set([id]));
    const references = new Set(referencesIn(part));
    const dangling = [...references].filter(($ref) => resolve(part, { $ref }) === undefined);
    expect(dangling).toEqual([]);
    const { securitySchemes, ...sections } = part.components;
    const components = Object.entries(sections).flatMap(([section, members]) =>
      Object.keys(members).map((name) => `#/components/${section}/${name}`),
    );
    expect(components.filter((component) => !references.has(component))).toEqual([]);
    expect(Object.keys(securitySchemes)).toEqual(['apiKey']);
  });
});

describe('events', () => {
  const types = [...registry.eventTypes.values()];

  const { oneOf, discriminator } = document.components.schemas['Event'] ?? {};
  const { mapping } = discriminator as { mapping: Record<string, string> };

  it('are one union, in which `type` decides the shape', () => {
    expect(Object.keys(mapping).sort()).toEqual(types.map(({ type }) => type).sort());
    expect(oneOf).toEqual([...new Set(Object.values(mapping))].map(($ref) => ({ $ref })));
  });

  it.each(types)('$type: its shape, its meaning and its severity', ({ type, data, when, severity }) => {
    const { properties, ...shape } = resolve<JsonSchema>(document, { $ref: mapping[type] ?? '' });
    const members = properties as { type: JsonSchema; data: JsonSchema };
    const types = (members.type['enum'] ?? [members.type['const']]) as string[];
    const meanings = (members.type['x-enum-descriptions'] ?? [shape['description']]) as string[];
    const severities = (members.type['x-enum-severities'] ?? [shape['x-severity']]) as string[];
    const place = types.indexOf(type);
    expect([types[place], meanings[place], severities[place]]).toEqual([type, when, severity]);
    expect(Object.keys(resolve<JsonSchema>(document, members.data)['properties'] ?? {})).toEqual(
      Object.keys((data as { properties?: object }).properties ?? {}),
    );
  });

  it('are sent by one webhook, whose message holds any of them', () => {
    const [[, { post }], ...others] = Object.entries(document.webhooks) as [[string, Webhook]];
    expect(others).toEqual([]);
    expect(named.map(([id]) => id)).not.toContain(post.operationId);
    const { schema = {} } = post.requestBody.content['application/json'] ?? {};
    expect(resolve<JsonSchema>(document, schema)['properties']).toMatchObject({
      data: { $ref: '#/components/schemas/Event' },
    });
  });
});

describe('components', () => {
  it('have names that differ by more than their case', () => {
    const names = Object.values(document.components).flatMap((section) => Object.keys(section));
    for (const section of Object.values(document.components)) {
      const folded = Object.keys(section).map((name) => name.toLowerCase());
      expect(new Set(folded).size).toBe(folded.length);
    }
    expect(names.filter((name) => !/^[A-Za-z]\w*$/.test(name))).toEqual([]);
  });

  it('say what every member is', () => {
    const { schemas } = document.components;
    expect(Object.entries(schemas).flatMap(([name, schema]) => untyped(schema, name))).toEqual([]);
  });
});
