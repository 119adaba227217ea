/**
 * The problems that an endpoint can answer with: those of every endpoint, those that follow from its record (it has a
 * body, it writes, it is a list, ...), and those that its record adds. The OpenAPI document, the documentation and the
 * tests in `src/laws` all use this.
 */
import { IMPLICIT } from '../access/permissions.ts';
import type { Endpoint } from '../record.ts';
import { isAsyncCreate, isWrite } from '../record.ts';
import { type ProblemCode, problems } from './catalogue.ts';

type Kind = Pick<
  Endpoint,
  | 'method'
  | 'access'
  | 'family'
  | 'permission'
  | 'params'
  | 'query'
  | 'body'
  | 'resource'
  | 'answers'
  | 'operation'
> & {
  readonly raisesCost?: true | 'sometimes';
};

export const takesIdempotencyKey = (endpoint: Pick<Endpoint, 'method' | 'access'>): boolean =>
  endpoint.method === 'POST' && isWrite(endpoint);

export const takesIfMatch = ({ method }: Pick<Endpoint, 'method'>): boolean =>
  method === 'PUT' || method === 'PATCH' || method === 'DELETE';

const isImplicit = ({ permission }: Kind): boolean => IMPLICIT.includes(permission);
const hasBody = ({ body }: Kind): boolean => body !== undefined;

/** The problems that come from the key, the address or the server, whatever the request asks for. */
export const ofEveryCall: readonly ProblemCode[] = [
  'api_key_missing',
  'bearer_not_supported',
  'api_key_malformed',
  'api_key_invalid',
  'api_key_expired',
  'api_key_suspended',
  'api_key_revoked',
  'ip_not_allowed',
  'validation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'engine_unavailable',
];

/** The problems of every request: its headers or its body cannot be read, or the wanted format does not exist. */
const ofEveryRequest: readonly ProblemCode[] = ['malformed_request', 'not_acceptable'];

/** The problems of every endpoint that takes a body. */
const withBody: readonly ProblemCode[] = [
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'secret_in_text',
];

const byKind: Partial<Record<ProblemCode, (kind: Kind) => boolean>> = {
  invalid_cursor: ({ query }) => Object.hasOwn(query.properties, 'cursor'),
  permission_denied: (kind) => !isImplicit(kind),
  product_not_enabled: ({ family }) => family !== 'account',
  account_restricted: ({ raisesCost }) => raisesCost !== undefined,
  // A closing account also refuses calls that `whileSuspended` allows.
  account_suspended: ({ method }) => method !== 'GET' && method !== 'DELETE',
  not_found: ({ params }) => Object.keys(params.properties).length > 0,
  // Every write may need approval, and the number of undecided approvals is limited.
  quota_exceeded: isWrite,
  budget_exceeded: ({ raisesCost }) => raisesCost !== undefined,
  approval_required: isWrite,
  approval_mismatch: isWrite,
  approval_expired: isWrite,
  idempotency_key_conflict: takesIdempotencyKey,
  idempotency_in_progress: takesIdempotencyKey,
  etag_mismatch: takesIfMatch,
  create_cancelled: (kind) => isAsyncCreate(kind) && kind.operation?.cancellable === true,
  create_failed: isAsyncCreate,
};

const inOrder = Object.keys(problems) as readonly ProblemCode[];

/** In the order of the catalogue, which is sorted by status. */
export function possibleProblems(endpoint: Kind & Pick<Endpoint, 'problems'>): ProblemCode[] {
  return inOrder.filter(
    (code) =>
      ofEveryCall.includes(code) ||
      ofEveryRequest.includes(code) ||
      (hasBody(endpoint) && withBody.includes(code)) ||
      byKind[code]?.(endpoint) === true ||
      endpoint.problems.includes(code),
  );
}
