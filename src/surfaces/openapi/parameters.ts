import { declares } from '../../kernel/named/named.ts';
import { takesIdempotencyKey, takesIfMatch } from '../../kernel/problems/possible.ts';
import { type Endpoint, isAsync, isWrite } from '../../kernel/record.ts';
import { queryShapeOf } from '../../pipeline/input.ts';
import { LONGEST_WAIT_SECONDS, TEXT_ERRORS } from '../../pipeline/prefer.ts';
import type { JsonSchema, Parameter, Reference } from './model.ts';
import { pathReference } from './path-references.ts';
import { hasMember, type NamedSchemas } from './schemas.ts';

const headerParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice, kept for 24 hours. The same request with the same key gets the same answer and has no second effect.',
    schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$', minLength: 1, maxLength: 255 },
    example: '4f1f6c1e-7a52-4c0b-9a57-2f6c1de0b7aa',
  },
  ApprovalId: {
    name: 'Approval-Id',
    in: 'header',
    description:
      'Only for keys that need approval: the id of the operation that a person approved. It is valid for one identical repeat of the request within 15 minutes. Calls that need no approval ignore it.',
    schema: { type: 'string' },
    example: 'op_01jqzv9t5xe9rs5d3k8w4t6y0c',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the version you want to change. If that version is no longer current, the answer is 412.',
    schema: { type: 'string' },
    example: '"q3w2c9T1hVb7Zk0m"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the version you have. If it is still current, the answer is 304 without a body.',
    schema: { type: 'string' },
    example: '"q3w2c9T1hVb7Zk0m"',
  },
  IfNoneMatchToCreate: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Send `*` to create only: if the name already exists, the answer is 412.',
    schema: { type: 'string' },
    example: '*',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=N\` (RFC 7240): hold the answer for up to N seconds, 1 to ${LONGEST_WAIT_SECONDS}, until there is news or the operation has ended. \`${TEXT_ERRORS}\`, which every call takes, asks for errors as text; join both with a comma.`,
    schema: { type: 'string' },
    example: 'wait=30',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Only for streams: the id of the last event you read. The stream continues after it.',
    schema: { type: 'string', maxLength: 1000 },
  },
} satisfies Record<string, Parameter>;

export const parameterComponents: Readonly<Record<string, Parameter>> = headerParameters;

const headerParameter = (name: keyof typeof headerParameters): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

/** Whether the endpoint answers with an `ETag`, so that it supports `If-None-Match`. */
export function isVersioned(endpoint: Endpoint): boolean {
  return endpoint.method === 'GET' && hasMember(endpoint.answers[200], 'etag');
}

const ENDINGS: readonly [RegExp, string][] = [
  [/ies$/, 'y'],
  [/sses$/, 'ss'],
  [/s$/, ''],
];

/** The segment before the parameter is the plural of the noun: `ssh-keys` in `/ssh-keys/{id}` gives `SSH key`. */
export function nounBefore(path: string, name: string): string {
  const segments = path.split('/');
  const plural = segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  const [ending, singular] = ENDINGS.find(([pattern]) => pattern.test(plural)) ?? ['', ''];
  return plural.replace(ending, singular).replaceAll('-', ' ');
}

/** The names of paths in the words of people. */
const said = (noun: string): string =>
  noun.replace(/\bvm\b/, 'machine').replace(/\b(ip|ssh|api)\b/g, (word) => word.toUpperCase());

function pathParameters(
  endpoint: Endpoint,
  schemas: NamedSchemas,
  endpoints: readonly Endpoint[],
): Parameter[] {
  return Object.entries(endpoint.params.properties).map(([name, shape]) => {
    const { description, ...schema } = schemas.write(shape);
    const example = endpoint.example.params?.[name];
    const reference = schema['x-ref'] ?? pathReference(endpoint, name, endpoints);
    return {
      name,
      in: 'path',
      description: String(
        description ?? `The id of the ${said(nounBefore(endpoint.path, name))}, as lists show it.`,
      ),
      required: true,
      schema: { ...schema, ...(reference === undefined ? {} : { 'x-ref': reference }) },
      ...(example === undefined ? {} : { example }),
    };
  });
}

function queryParameters(endpoint: Endpoint, schemas: NamedSchemas): Parameter[] {
  const shape = queryShapeOf(endpoint);
  const required = (shape as { required?: readonly string[] }).required ?? [];
  return Object.entries(shape.properties).map(([name, member]) => {
    const { description, ...schema } = schemas.write(member) as JsonSchema;
    const example = endpoint.example.query?.[name];
    return {
      name,
      in: 'query',
      description: String(description ?? ''),
      ...(required.includes(name) && schema['default'] === undefined ? { required: true as const } : {}),
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      schema,
      ...(example === undefined ? {} : { example }),
    };
  });
}

export function parametersOf(
  endpoint: Endpoint,
  schemas: NamedSchemas,
  endpoints: readonly Endpoint[],
): (Parameter | Reference)[] {
  return [
    ...pathParameters(endpoint, schemas, endpoints),
    ...queryParameters(endpoint, schemas),
    ...(takesIdempotencyKey(endpoint) ? [headerParameter('IdempotencyKey')] : []),
    ...(isWrite(endpoint) ? [headerParameter('ApprovalId')] : []),
    ...(takesIfMatch(endpoint) ? [headerParameter('IfMatch')] : []),
    ...(isVersioned(endpoint) ? [headerParameter('IfNoneMatch')] : []),
    ...(endpoint.waits || isAsync(endpoint) ? [headerParameter('Prefer')] : []),
    ...(endpoint.stream ? [headerParameter('LastEventId')] : []),
    ...(declares(endpoint) ? [headerParameter('IfNoneMatchToCreate')] : []),
  ];
}
