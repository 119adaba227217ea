/** The response headers; operations refer to these components. */
import { EXAMPLE_ADDRESS } from './example-address.ts';
import type { Header, Reference, Response } from './model.ts';

interface NamedHeader extends Header {
  readonly name: string;
}

const text = { type: 'string' } as const;

const headers = {
  RequestId: {
    name: 'X-Request-Id',
    description: 'The id of this request. Include it when you ask your provider about the request.',
    schema: text,
    example: 'req_01k9zt6m7qf0x8r3v5c2d4e6g8',
  },
  RateLimitPolicy: {
    name: 'RateLimit-Policy',
    description: 'The rate limit: `q` requests in `w` seconds from one address.',
    schema: text,
    example: '"ip";q=200;w=60',
  },
  RateLimit: {
    name: 'RateLimit',
    description: 'The requests that are left (`r`) and the seconds until you get more (`t`).',
    schema: text,
    example: '"ip";r=187;t=9',
  },
  CacheControl: {
    name: 'Cache-Control',
    description: '`no-store` if the answer contains a secret, otherwise `private, no-cache`.',
    schema: text,
    example: 'private, no-cache',
  },
  ETag: {
    name: 'ETag',
    description: 'The version of the resource, for `If-Match` and `If-None-Match`.',
    schema: text,
    example: '"q3w2c9T1hVb7Zk0m"',
  },
  Link: {
    name: 'Link',
    description: 'The URL of the next page with `rel="next"`; absent on the last page.',
    schema: text,
    example: `<${EXAMPLE_ADDRESS}/account/v1/api-keys?cursor=Zm9v>; rel="next"`,
  },
  OperationLocation: {
    name: 'Operation-Location',
    description: 'The URL of the operation that does the work. Read it to follow the progress.',
    schema: { type: 'string', format: 'uri' },
  },
  OperationStatus: {
    name: 'Operation-Status',
    description: 'The status of the operation, also where the body is text.',
    schema: text,
    example: 'running',
  },
  IdempotentReplayed: {
    name: 'Idempotent-Replayed',
    description: '`true` if this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  PreferenceApplied: {
    name: 'Preference-Applied',
    description: 'The preference that was applied, if you sent one: the wait, or the mark instead of a 404.',
    schema: text,
    example: 'wait=30',
  },
  Warnings: {
    name: 'Hostplane-Warnings',
    description:
      'What you should know about the change that was made, as a JSON array in ASCII; absent if there is nothing, and from calls that only read. A dry run shows the same in `warnings`, and the operation keeps it.',
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Warning' } } },
    },
  },
  RetryAfter: {
    name: 'Retry-After',
    description: 'The seconds to wait before you send the request again.',
    schema: { type: 'integer', minimum: 1 },
    example: 9,
  },
  Challenge: {
    name: 'WWW-Authenticate',
    description: 'How to send the API key.',
    schema: text,
    example: 'ApiKey header="X-API-Key"',
  },
  RequiredPermission: {
    name: 'X-Required-Permission',
    description: 'The permission that the operation needs.',
    schema: text,
    example: 'account:self:read',
  },
} satisfies Record<string, NamedHeader>;

export type HeaderName = keyof typeof headers;

/** Every response has them. */
export const onEveryAnswer: readonly HeaderName[] = [
  'RequestId',
  'RateLimitPolicy',
  'RateLimit',
  'CacheControl',
];

export function headerReferences(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [headers[name].name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The member `headers` of a response; none if the response has only common headers. */
export function headersWith(names: readonly HeaderName[]): Pick<Response, 'headers'> {
  return names.length === 0 ? {} : { headers: headerReferences(names) };
}

/**
 * The document names these headers once, in `x-common-headers`. The one of calls that change something is no component,
 * because no response refers to it.
 */
export function commonHeaders(hasWrites: boolean): Record<string, Reference | Header> {
  const { name, ...warnings } = headers.Warnings;
  return { ...headerReferences(onEveryAnswer), ...(hasWrites ? { [name]: warnings } : {}) };
}

export function headerComponents(): Record<string, Header> {
  return Object.fromEntries(
    Object.entries(headers).map(([component, { name: _, ...header }]) => [component, header]),
  );
}
