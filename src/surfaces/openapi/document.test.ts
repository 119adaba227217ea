import { describe, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { endpoint, ok } from '../../kernel/record.ts';
import { buildRegistry, type Family } from '../../kernel/registry.ts';
import { Named, Nullable, Shape, type TSchema, Type } from '../../kernel/schema.ts';
import { DRY_RUN_FORMAT } from '../../pipeline/format.ts';
import { workshop } from '../../testing/widgets.ts';
import { openapiDocument } from './document.ts';
import type { JsonSchema, Operation, Response } from './model.ts';
import { forCaller } from './subset.ts';

const facts = {
  baseUrl: 'https://api.example.test',
  version: '1.2.3',
  docsUrl: 'https://docs.example.test',
  providerName: 'Example',
};
const document = openapiDocument(buildRegistry([workshop]), facts);
const widgets = document.paths['/workshop/v1/widgets'];
const widget = document.paths['/workshop/v1/widgets/{id}'];

const namesOf = (operation: Operation | undefined): string[] =>
  (operation?.parameters ?? []).map((parameter) =>
    'name' in parameter ? parameter.name : (parameter.$ref.split('/').at(-1) ?? ''),
  );

function responseOf(operation: Operation | undefined, status: string): Response {
  const response = operation?.responses[status];
  if (response === undefined) throw new Error(`There is no ${status}.`);
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1) ?? ''] as Response;
}

function familyWith(...answers: TSchema[]): Family {
  const endpoints = answers.map((answer, i) =>
    endpoint({
      id: `read${i}`,
      method: 'GET',
      path: `/workshop/v1/things-${i}`,
      summary: `Read thing ${i}`,
      permission: 'workshop:things:read',
      access: 'read',
      resource: { name: 'thing', role: 'read' },
      answers: { 200: answer },
      problems: [],
      example: { answer: { status: 200, body: {} } },
      handle: async () => ok({} as never),
    }),
  );
  return { name: 'workshop', title: 'Workshop', description: 'Only in tests.', endpoints };
}

const schemasOf = (...answers: TSchema[]): Readonly<Record<string, JsonSchema>> =>
  openapiDocument(buildRegistry([familyWith(...answers)]), facts).components.schemas;

describe('parameters', () => {
  it('come from the path, the query and the kind of the call', () => {
    expect(namesOf(widgets?.get)).toEqual([
      'Limit',
      'Cursor',
      'sort',
      'name',
      'CreatedAfter',
      'CreatedBefore',
    ]);
    expect(namesOf(widgets?.post)).toEqual(['DryRun', 'IdempotencyKey', 'ApprovalId']);
    expect(namesOf(widget?.get)).toEqual(['WidgetIdInPath', 'IfNoneMatch']);
    expect(namesOf(widget?.patch)).toEqual(['WidgetIdInPath', 'DryRun', 'ApprovalId', 'IfMatch']);
  });

  it('are components if several operations share their form, and inline otherwise', () => {
    const of = (path: string): unknown => document.paths[path]?.get?.parameters;
    expect(of('/workshop/v1/widgets')).toContainEqual({ $ref: '#/components/parameters/Limit' });
    expect(of('/workshop/v1/widgets')).toContainEqual(expect.objectContaining({ name: 'sort', in: 'query' }));
    expect(document.components.parameters).not.toHaveProperty('Sort');
  });

  it('are not required where they have a default', () => {
    expect(document.components.parameters['Limit']).not.toHaveProperty('required');
    expect(document.components.parameters['Limit']).toMatchObject({
      name: 'limit',
      in: 'query',
      description: 'How many rows at most.',
      schema: { type: 'integer', default: 50, maximum: 200 },
    });
  });

  it('say which resource an id names', () => {
    expect(document.components.parameters['WidgetIdInPath']).toMatchObject({
      description: 'The id of the widget, as lists show it.',
      required: true,
      example: 'wid_01jqzv2m7xe9rs5d3k8w4t6y0b',
    });
  });
});

it('the preference for errors as text is described for all calls, and where Prefer is a parameter', () => {
  const { Prefer } = document.components.parameters;
  expect(document.info.description).toContain('`Prefer: errors=text`');
  expect(Prefer?.description).toContain('`errors=text`');
});

describe('bodies', () => {
  it('are required unless an empty one is valid', () => {
    expect(widgets?.post?.requestBody?.required).toBe(true);
    expect(widget?.patch?.requestBody?.required).toBe(false);
    expect(widgets?.post?.requestBody?.content['application/json']?.example).toEqual({
      name: 'one',
      size: 3,
    });
  });
});

describe('answers', () => {
  const dryRun = { $ref: '#/components/schemas/DryRun' };
  const statuses = (operation: Operation | undefined): string[] => Object.keys(operation?.responses ?? {});

  it('of a changing call include the dry run, with its own media type', () => {
    const schemas = (operation: Operation | undefined): unknown =>
      Object.entries(responseOf(operation, '200').content ?? {}).map(([format, { schema }]) => [
        format,
        schema,
      ]);
    expect(schemas(widgets?.post)).toEqual([[DRY_RUN_FORMAT, dryRun]]);
    expect(schemas(widget?.delete)).toEqual([[DRY_RUN_FORMAT, dryRun]]);
    expect(schemas(widget?.patch)).toEqual([
      ['application/json', { $ref: '#/components/schemas/Widget' }],
      [DRY_RUN_FORMAT, dryRun],
    ]);
  });

  it('have the headers that belong to them', () => {
    const headers = (operation: Operation | undefined, status: string): string[] =>
      Object.keys(responseOf(operation, status).headers ?? {});
    expect(headers(widgets?.get, '200')).toEqual(['Link']);
    expect(headers(widget?.get, '200')).toEqual(['ETag']);
    expect(headers(widgets?.post, '201')).toEqual(['ETag', 'Idempotent-Replayed']);
  });

  it('all have the headers that the document names once', () => {
    expect(Object.keys(document['x-common-headers'])).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'Cache-Control',
      'Hostplane-Warnings',
    ]);
  });

  it('end with the two most likely problems, and one answer for all others', () => {
    expect(statuses(widget?.get)).toEqual('200 304 403 404 default'.split(' '));
    expect(statuses(widgets?.post)).toEqual('200 201 409 422 default'.split(' '));
    const { examples } = responseOf(widgets?.post, '409').content?.['application/problem+json'] ?? {};
    expect(examples).toEqual({ name_taken: { $ref: '#/components/examples/NameTaken' } });
    expect(document.components.examples['NameTaken']?.value).toMatchObject({
      code: 'name_taken',
      status: 409,
      next_step: expect.any(String),
      existing_id: expect.any(String),
    });
  });

  it('list with the operation the codes that not every call has', () => {
    expect(widgets?.post?.['x-problem-codes']).toEqual(
      expect.arrayContaining(['name_taken', 'quota_exceeded']),
    );
    expect(responseOf(widgets?.post, 'default')['x-problem-codes']).toContain('rate_limited');
  });

  it('have no closed schemas, because new members may appear in them', () => {
    expect(document.components.schemas['Widget']).not.toHaveProperty('additionalProperties');
    const { schema } = widgets?.post?.requestBody?.content['application/json'] ?? {};
    expect(schema).toHaveProperty('additionalProperties', false);
  });
});

describe('schemas', () => {
  const inner = Named('Inner', Shape({ a: Type.String() }));

  it('with a name are written once and pointed to', () => {
    const outer = Named('Outer', Shape({ one: inner, other: Nullable(inner), title: Type.String() }));
    const { Outer, Inner } = schemasOf(outer, Shape({ again: inner }));
    expect(Inner).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } });
    expect(Outer?.['properties']).toEqual({
      one: { $ref: '#/components/schemas/Inner' },
      other: { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] },
      title: { type: 'string' },
    });
  });

  it('with a name have their own description, and each use may have another one', () => {
    const noted = Named('Noted', Type.String({ description: 'A note.' }));
    const outer = Shape({
      plain: noted,
      told: { ...noted, description: 'What this member is.', default: '' },
      maybe: Nullable({ ...noted, description: 'A note, or null.' }),
    });
    const { Noted, Outer } = schemasOf(Named('Outer', outer));
    expect(Noted).toEqual({ type: 'string', description: 'A note.' });
    const $ref = '#/components/schemas/Noted';
    expect(Outer?.['properties']).toEqual({
      plain: { $ref },
      told: { $ref, description: 'What this member is.', default: '' },
      maybe: { anyOf: [{ $ref }, { type: 'null' }], description: 'A note, or null.' },
    });
  });

  it('with the same name and different shapes are refused', () => {
    const other = Named('Inner', Shape({ b: Type.String() }));
    expect(() => schemasOf(inner, other)).toThrow('Two different shapes are called "Inner"');
  });

  it('keep their marks, and tuples become those of 2020', () => {
    const marked = Named(
      'Marked',
      Shape({
        pair: Type.Tuple([Type.String(), inner]),
        size: Type.Integer({ 'x-immutable': true }),
        key: Type.String({ 'x-secret': true }),
        status: Type.String({ 'x-states': { on: ['stop'] } }),
      }),
    );
    const { Marked } = schemasOf(marked);
    expect(Marked?.['properties']).toMatchObject({
      pair: {
        prefixItems: [{ type: 'string' }, { $ref: '#/components/schemas/Inner' }],
        items: false,
      },
      size: { 'x-immutable': true },
      key: { 'x-secret': true },
      status: { 'x-states': { on: ['stop'] } },
    });
  });
});

describe('forCaller', () => {
  it('keeps the operations asked for and what they reach, no more', () => {
    const part = forCaller(document, new Set(['deleteWidget']));
    expect(Object.keys(part.paths)).toEqual(['/workshop/v1/widgets/{id}']);
    expect(Object.keys(part.paths['/workshop/v1/widgets/{id}'] ?? {})).toEqual(['delete']);
    expect(Object.keys(part.components.schemas)).toEqual([
      'BudId',
      'BudgetAmount',
      'Currency',
      'Decimal',
      'DeniedBy',
      'DryRun',
      'Effect',
      'ExceededBudget',
      'FieldError',
      'ForeseenChange',
      'Problem',
      'SpentSoFar',
      'TightestBudget',
      'Warning',
      'WidId',
    ]);
    expect(Object.keys(part.components.parameters)).toEqual([
      'ApprovalId',
      'IfMatch',
      'DryRun',
      'WidgetIdInPath',
    ]);
    expect(part.components.securitySchemes).toEqual(document.components.securitySchemes);
  });

  it('leaves nothing of a family whose operations are all gone', () => {
    const part = forCaller(document, new Set());
    expect([part.tags, part.paths, part.components.schemas]).toEqual([[], {}, {}]);
    expect([part.webhooks, part['x-tagGroups']]).toEqual([{}, []]);
  });

  it('keeps the events and webhooks for who may read events or set webhooks', () => {
    const whole = openapiDocument(buildRegistry(families), facts);
    for (const id of ['listEvents', 'setWebhook']) {
      const part = forCaller(whole, new Set([id]));
      expect(part.webhooks).toEqual(whole.webhooks);
      expect(part.components.schemas['Event']).toEqual(whole.components.schemas['Event']);
    }
  });
});

describe('marks', () => {
  const schemaOf = (operation: Operation | undefined) =>
    operation?.requestBody?.content['application/json']?.schema['properties'];

  it('of members say what can be set, and how', () => {
    expect(document.components.schemas['Widget']?.['properties']).toMatchObject({
      id: { readOnly: true },
      name: { 'x-immutable': true },
      created_at: { readOnly: true },
    });
    expect(schemaOf(widgets?.post)).toMatchObject({ name: { 'x-immutable': true } });
    expect(document.components.schemas['Widget']).toHaveProperty('properties.size', { type: 'integer' });
  });

  it('of operations say how to read the resource and what changes the bill', () => {
    const read = { operation: 'getWidget' };
    expect(widgets?.get?.['x-resource']).toEqual({ name: 'widget', role: 'list' });
    expect(widgets?.post?.['x-resource']).toEqual({ name: 'widget', role: 'create', read });
    expect(widget?.delete?.['x-resource']).toEqual({
      name: 'widget',
      role: 'delete',
      parameter: 'id',
      read,
    });
    expect(
      [widgets?.get, widgets?.post, widget?.patch, widget?.delete].map((each) => each?.['x-cost']),
    ).toEqual([undefined, 'raises', 'either', 'lowers']);
  });
});

it('says where webhooks come from and where the service is', () => {
  const registry = buildRegistry([workshop]);
  const { servers, info, ...rest } = openapiDocument(registry, { ...facts, egressAddresses: ['192.0.2.1'] });
  expect(servers).toEqual([{ url: 'https://api.example.test' }]);
  expect(info).toMatchObject({ title: 'Example API', version: '1.2.3' });
  expect(rest['x-egress-addresses']).toEqual(['192.0.2.1']);
});
