/**
 * Everything that the specification names is explained where it is declared: each member, parameter, header and value
 * of an enumeration, the unit of a number, and what happens if an optional member of a request is left out.
 */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import type { JsonSchema, Operation, Parameter, Reference } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';

const document = exampleDocument(buildRegistry(families));
const { schemas, parameters, headers } = document.components;
const operations: readonly Operation[] = Object.values(document.paths).flatMap((item) => Object.values(item));

interface Place {
  readonly at: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function resolve(schema: JsonSchema): JsonSchema {
  const { $ref, ...use } = schema as { $ref?: string };
  return $ref === undefined ? schema : { ...schemas[$ref.split('/').at(-1) ?? ''], ...use };
}

const partsOf = (schema: JsonSchema): JsonSchema[] => [
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((word) => (schema[word] ?? []) as JsonSchema[]),
  ...['items', 'additionalProperties'].flatMap((word) => {
    const part = schema[word];
    return typeof part === 'object' && part !== null ? [part as JsonSchema] : [];
  }),
];

/** All members inside a schema, without those of other components. */
function membersOf(schema: JsonSchema, at: string): Place[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const required = (schema['required'] ?? []) as readonly string[];
  return [
    ...properties.flatMap(([name, member]) => [
      { at: `${at}.${name}`, name, schema: member, isRequired: required.includes(name) },
      ...membersOf(member, `${at}.${name}`),
    ]),
    ...partsOf(schema).flatMap((part) => membersOf(part, at)),
  ];
}

/** The description of a member, of the component that it refers to, or of the only component that it may be. */
function descriptionOf(schema: JsonSchema): string {
  const { description, anyOf } = resolve(schema) as { description?: string; anyOf?: JsonSchema[] };
  const branches = (anyOf ?? []).filter(({ type }) => type !== 'null');
  return description ?? (branches.length === 1 && branches[0] ? descriptionOf(branches[0]) : '');
}

const bodiesOf = (operation: Pick<Operation, 'requestBody'>): JsonSchema[] =>
  Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);

const answersOf = (operation: Operation): JsonSchema[] =>
  Object.values(operation.responses)
    .flatMap((response) => ('content' in response ? Object.values(response.content ?? {}) : []))
    .map(({ schema }) => schema);

const isInline = <T extends object>(part: T | Reference): part is T => !('$ref' in part);

const parametersOf = ({ operationId, parameters: own }: Operation): (Parameter & { at: string })[] =>
  own.filter(isInline).map((parameter) => ({ ...parameter, at: `${operationId}?${parameter.name}` }));

const allParameters = [
  ...operations.flatMap(parametersOf),
  ...Object.values(parameters).map((parameter) => ({ ...parameter, at: `components?${parameter.name}` })),
];

/** Every schema of the document, each once. */
const roots: readonly (readonly [string, JsonSchema])[] = [
  ...Object.entries(schemas),
  ...operations.flatMap((operation) =>
    [...bodiesOf(operation), ...answersOf(operation)].map(
      (schema) => [operation.operationId, schema] as const,
    ),
  ),
  ...allParameters.map(({ at, schema }) => [at, schema] as const),
  ...Object.entries(document.webhooks).flatMap(([type, { post }]) =>
    bodiesOf(post).map((schema) => [type, schema] as const),
  ),
];
const members: readonly Place[] = roots.flatMap(([at, schema]) => membersOf(schema, at));

const STOP_WORDS = new Set(
  'a an and as at by for from has in is it its of on or that the this to with'.split(' '),
);

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .split(' ')
    .filter((word) => word !== '' && !STOP_WORDS.has(word));

/** Whether the first paragraph says more than the name: it ends like a sentence and has words that the name lacks. */
function explains(text: string, name: string, least = 12): boolean {
  const [first = ''] = text.split('\n\n');
  const known = wordsOf(name);
  return first.length >= least && first.endsWith('.') && wordsOf(first).some((word) => !known.includes(word));
}

const unexplained = (places: readonly { at: string; name: string; text: string }[]): string[] => [
  ...new Set(
    places.filter(({ name, text }) => !explains(text, name)).map(({ at, text }) => `${at}: ${text}`),
  ),
];

it('each member of a schema has a description that says more than its name', () => {
  const described = members.map(({ at, name, schema }) => ({ at, name, text: descriptionOf(schema) }));
  expect(unexplained(described)).toEqual([]);
});

it('each parameter and each header has such a description', () => {
  const named = [
    ...allParameters,
    ...Object.entries(headers).map(([name, header]) => ({ ...header, name, at: name })),
  ];
  expect(unexplained(named.map(({ at, name, description: text }) => ({ at, name, text })))).toEqual([]);
});

it('only the id of the shown resource has the general description of ids', () => {
  const general = members.filter(({ schema }) =>
    descriptionOf(schema).startsWith('Its id, which never changes'),
  );
  expect(general.filter(({ name }) => name !== 'id').map(({ at }) => at)).toEqual([]);
});

it('each id names its format', () => {
  const ids = JSON.stringify(document).match(/[^{}]*"pattern":"\^[a-z]+_\[0-7\][^{}]*/g) ?? [];
  expect(ids.length).toBeGreaterThan(20);
  expect(ids.filter((schema) => !schema.includes('"format":"typeid"'))).toEqual([]);
});

it('each member that is called an id names its format, or says what other kind of id it is', () => {
  const others = /`operationId`|`X-Request-Id`|second part of the key|\bslug\b|id of the limit|resource/;
  const formatsIn = (schema: JsonSchema): unknown[] => {
    const whole = resolve(schema);
    return [whole['format'], ...partsOf(whole).flatMap(formatsIn)];
  };
  const ids = [
    ...members.map(({ at, name, schema }) => ({ at, name, schema, text: descriptionOf(schema) })),
    ...allParameters.map(({ at, name, schema, description: text }) => ({ at, name, schema, text })),
  ].filter(({ name }) => /_ids?$/.test(name));
  expect(ids.length).toBeGreaterThan(50);
  const unnamed = ids.filter(
    ({ schema, text }) => !formatsIn(schema).includes('typeid') && !others.test(text),
  );
  expect(unnamed.map(({ at, text }) => `${at}: ${text}`)).toEqual([]);
});

it('each flag in a query has a default, unless it narrows a list', () => {
  const flags = allParameters.filter(({ schema }) => resolve(schema)['type'] === 'boolean');
  const silent = flags.filter(
    ({ schema, description }) => resolve(schema)['default'] === undefined && !/\bonly\b/i.test(description),
  );
  expect(silent.map(({ at }) => at)).toEqual([]);
});

describe('each value of an enumeration', () => {
  const valuesOf = (schema: JsonSchema) =>
    (schema['enum'] ?? schema['x-extensible-enum']) as readonly unknown[] | undefined;

  function enumerationsOf(schema: JsonSchema, at: string): { at: string; schema: JsonSchema }[] {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
    return [
      ...(valuesOf(schema) === undefined ? [] : [{ at, schema }]),
      ...properties.flatMap(([name, member]) => enumerationsOf(member, `${at}.${name}`)),
      ...partsOf(schema).flatMap((part) => enumerationsOf(part, at)),
    ];
  }

  it('is explained', () => {
    const found = roots
      .flatMap(([at, schema]) => enumerationsOf(schema, at))
      .filter(({ schema }) => {
        const values = valuesOf(schema) ?? [];
        const meanings = (schema['x-enum-descriptions'] ?? []) as readonly string[];
        const isWhole = meanings.length === values.length;
        return (
          !isWhole ||
          values.some((value, i) => value !== null && !explains(meanings[i] ?? '', String(value), 8))
        );
      });
    expect([...new Set(found.map(({ at, schema }) => `${at}: ${JSON.stringify(schema)}`))]).toEqual([]);
  });
});

describe('each number', () => {
  const units: Readonly<Record<string, string>> = {
    gb: 'GB',
    mb: 'MB',
    bytes: 'bytes',
    seconds: 'seconds',
    ms: 'milliseconds',
    hours: 'hours',
    days: 'days',
    months: 'months',
    percent: 'percent',
    mbps: 'Mbit/s',
  };
  const isNumber = (schema: JsonSchema): boolean =>
    [schema['type']].flat().some((type) => type === 'integer' || type === 'number');

  it('whose name ends in a unit names this unit', () => {
    const named = [...members, ...allParameters]
      .map(({ at, name, schema }) => ({
        at,
        unit: units[name.split('_').at(-1) ?? ''],
        schema: resolve(schema),
      }))
      .filter(({ unit, schema }) => unit !== undefined && isNumber(schema));
    expect(named.filter(({ unit, schema }) => schema['x-unit'] !== unit).map(({ at }) => at)).toEqual([]);
  });
});

describe('requests', () => {
  const says =
    /default|left out|without|unchanged|required with|only with|only if|neither|cannot be changed/i;

  it('state the default of each optional member of a body', () => {
    const silent = operations
      .filter(({ operationId }) => !/^update/.test(operationId))
      .flatMap((operation) =>
        bodiesOf(operation).flatMap((body) => membersOf(resolve(body), operation.operationId)),
      )
      .filter(({ isRequired }) => !isRequired)
      .filter(({ schema }) => resolve(schema)['default'] === undefined && !says.test(descriptionOf(schema)));
    expect(silent.map(({ at, schema }) => `${at}: ${descriptionOf(schema)}`)).toEqual([]);
  });

  it('mention null for a member only if null is accepted', () => {
    const said = operations
      .flatMap((operation) =>
        bodiesOf(operation).flatMap((body) => membersOf(resolve(body), operation.operationId)),
      )
      .filter(({ schema }) => /\bnull:/i.test(descriptionOf(schema)));
    const takesNull = (schema: JsonSchema): boolean =>
      [schema['type']].flat().includes('null') ||
      ((schema['anyOf'] ?? []) as JsonSchema[]).some((branch) => takesNull(resolve(branch)));
    expect(said.length).toBeGreaterThan(3);
    expect(said.filter(({ schema }) => !takesNull(resolve(schema))).map(({ at }) => at)).toEqual([]);
  });

  it('and answers state which secrets are write-only and which are shown once', () => {
    const secrets = (found: readonly Place[], mark: string): string[] =>
      found.filter(({ schema }) => schema['x-secret'] === true && schema[mark] !== true).map(({ at }) => at);
    const sent = operations.flatMap((operation) =>
      bodiesOf(operation).flatMap((body) => membersOf(resolve(body), operation.operationId)),
    );
    const shown = operations.flatMap((operation) =>
      answersOf(operation).flatMap((answer) => membersOf(resolve(answer), operation.operationId)),
    );
    expect(secrets(sent, 'writeOnly')).toEqual([]);
    expect(secrets(shown, 'readOnly')).toEqual([]);
  });
});
