import { maskKeys } from '../kernel/access/key-format.ts';
import { addressFaults } from '../kernel/chosen-addresses.ts';
import { type Exchange, endpointOf } from '../kernel/exchange.ts';
import { type OnFailure, OnFailureParameter } from '../kernel/operations/schema.ts';
import { type FieldError, invalid, Problem } from '../kernel/problems/problem.ts';
import { convertQuery } from '../kernel/query-string.ts';
import { type AnyObject, type Endpoint, isAsync, isAsyncCreate, isWrite } from '../kernel/record.ts';
import { withResets } from '../kernel/resets.ts';
import { Shape, type TObject, Type } from '../kernel/schema.ts';
import { refuseSecrets } from '../kernel/secret-text/in-body.ts';
import type { Services } from '../kernel/services.ts';
import { distinct, faultsOf, isValid } from '../kernel/validation.ts';
import { DRY_RUN_FORMAT, JSON_FORMAT } from './format.ts';
import { LONGEST_WAIT_SECONDS, readPreferredWait } from './prefer.ts';
import { explainRemovals } from './removals.ts';

export interface Input {
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: readonly string[] | undefined;
  readonly ifNoneMatch: readonly string[] | undefined;
  readonly onFailure: OnFailure;
  /** Seconds that the caller wants the answer to be held; null if the caller does not wait. */
  readonly wait: number | null;
}

const dryRun = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'With `true`, all checks run and the answer is what the call would do and cost, without doing it.',
  }),
);

const wait = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: LONGEST_WAIT_SECONDS,
    'x-unit': 'seconds',
    description:
      'Seconds to hold the answer until there is news or the operation has ended; same as `Prefer: wait=N`.',
  }),
);

const queryShapes = new WeakMap<Endpoint, TObject>();

const onFailure = Type.Optional(OnFailureParameter);

/**
 * The query parameters of the endpoint, plus `dry_run` for writes, `wait` for calls that can wait and `on_failure` for
 * calls whose operation creates a resource.
 */
export function queryShapeOf(endpoint: Endpoint): TObject {
  const known = queryShapes.get(endpoint);
  if (known !== undefined) return known;
  const isRead = endpoint.method === 'GET';
  const shape = Shape({
    ...endpoint.query.properties,
    ...(isRead ? {} : { dry_run: dryRun }),
    ...(endpoint.waits || isAsync(endpoint) ? { wait } : {}),
    ...(isAsyncCreate(endpoint) ? { on_failure: onFailure } : {}),
  });
  queryShapes.set(endpoint, shape);
  return shape;
}

const ENTITY_TAGS = /^\s*(?:(?:W\/)?"[\x21\x23-\x7e]*"\s*(?:,\s*|$))+$/;

function readTags(exchange: Exchange, name: 'if-match' | 'if-none-match'): string[] | undefined {
  const header = exchange.incoming.headers[name];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return ['*'];
  if (!ENTITY_TAGS.test(header)) {
    throw new Problem('malformed_request', {
      detail: `The header ${name} is not a list of quoted entity tags.`,
    });
  }
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

export const EVENT_STREAM = 'text/event-stream';

/** The media types that the endpoint can answer with, JSON first. */
const formatsOf = (endpoint: Endpoint): string[] => [
  JSON_FORMAT,
  ...(isWrite(endpoint) ? [DRY_RUN_FORMAT] : []),
  ...(endpoint.stream ? [EVENT_STREAM] : []),
  ...Object.keys(endpoint.formats),
];

/** Matches an entry with `q=0`, which says that the client does not accept this media type. */
const REFUSED = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i;

function refuseForeignFormat(exchange: Exchange, formats: readonly string[]): void {
  const accept = exchange.incoming.headers.accept;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === formats[0]) return;
  const wanted = accept
    .split(',')
    .filter((part) => !REFUSED.test(part))
    .map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  const families = formats.map((format) => format.replace(/\/.*/, '/*'));
  const offered = [...formats, ...families, 'application/problem+json', '*/*'];
  if (!wanted.some((type) => offered.includes(type))) throw new Problem('not_acceptable');
}

function readIdempotencyKey(exchange: Exchange, errors: FieldError[]): string | undefined {
  const sent = exchange.incoming.headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const key = Array.isArray(sent) ? sent.join(',') : sent;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    const detail = 'Use 1 to 255 printable ASCII characters.';
    errors.push({ pointer: 'header/Idempotency-Key', code: 'invalid_format', detail });
  } else if (maskKeys(key) !== key) {
    const detail = 'This holds an API key; choose a text that is no secret, for instance a UUID.';
    errors.push({ pointer: 'header/Idempotency-Key', code: 'invalid_format', detail });
  }
  return key;
}

/**
 * Reads the wait from the header `Prefer`, from the query, or from both if they are equal. Calls that never wait
 * ignore the header, as RFC 7240 allows.
 */
function readWait(exchange: Exchange, asked: unknown, errors: FieldError[]): number | null {
  const endpoint = endpointOf(exchange);
  if (!endpoint.waits && !isAsync(endpoint)) return null;
  const preferred = readPreferredWait(exchange.incoming.headers['prefer'] as string | undefined);
  if (preferred !== null && typeof preferred !== 'number') {
    errors.push(preferred);
    return null;
  }
  if (typeof asked !== 'number') return preferred;
  if (preferred !== null && preferred !== asked) {
    const detail =
      'The header Prefer requests a different wait; send only one of the two, or the same number in both.';
    errors.push({ pointer: 'query/wait', code: 'incompatible', detail });
  }
  return asked;
}

const isObject = (value: unknown): value is AnyObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const missingIn = ({ missing }: Endpoint, body: unknown): readonly FieldError[] =>
  missing !== undefined && isObject(body) ? missing(body) : [];

/**
 * Validates headers, query and body together, so that one answer lists every invalid field. A malformed id in the
 * path answers 404, like an unknown id.
 */
export function readInput(exchange: Exchange, services: Pick<Services, 'egress'>, sentBody: unknown): Input {
  const endpoint = endpointOf(exchange);
  refuseForeignFormat(exchange, formatsOf(endpoint));
  const ifMatch = readTags(exchange, 'if-match');
  const ifNoneMatch = readTags(exchange, 'if-none-match');
  if (endpoint.body === undefined && sentBody !== undefined) {
    throw new Problem('malformed_request', { detail: 'This call takes no body; use query parameters.' });
  }
  const { values, errors } = convertQuery(queryShapeOf(endpoint), exchange.incoming.query);
  const found: FieldError[] = [...errors, ...faultsOf(queryShapeOf(endpoint), values, 'query')];
  const idempotencyKey = readIdempotencyKey(exchange, found);
  const seconds = readWait(exchange, values['wait'], found);
  const body = endpoint.body === undefined ? undefined : sentBody === undefined ? {} : sentBody;
  if (endpoint.body !== undefined) {
    const faults = faultsOf(endpoint.body, body);
    found.push(...(endpoint.method === 'PATCH' ? explainRemovals(body, faults) : faults));
    // The rules for addresses judge only what has the right shape.
    if (found.length === 0) found.push(...addressFaults(endpoint.body, body, services.egress));
  }
  if (found.length > 0) throw invalid(distinct([...found, ...missingIn(endpoint, body)]));
  if (!isValid(endpoint.params, exchange.incoming.params)) throw new Problem('not_found');
  if (endpoint.body !== undefined) refuseSecrets(endpoint.body, body);
  const { dry_run, wait: _, on_failure = 'keep', ...own } = values;
  // Part of the request that an Idempotency-Key or an approval stands for. The default is as good as no parameter.
  const query = on_failure === 'keep' ? own : { ...own, on_failure };
  const isDryRun = dry_run === true && endpoint.access !== 'read';
  // A dry run has no effect, so it neither stores an answer nor replays the answer of the real call.
  // Over HTTP, other methods can be repeated as they are. A model repeats several calls at once, and wants their answers.
  const hasKey = endpoint.method === 'POST' || exchange.source === 'mcp';
  const isRepeatable = hasKey && endpoint.access !== 'read' && !isDryRun;
  return {
    params: exchange.incoming.params,
    query,
    body: endpoint.body === undefined ? body : withResets(endpoint.body, body),
    dryRun: isDryRun,
    onFailure: on_failure as OnFailure,
    idempotencyKey: isRepeatable ? idempotencyKey : undefined,
    ifMatch,
    ifNoneMatch,
    wait: seconds,
  };
}
