import { maskKeys } from '../kernel/access/key-format.ts';
import {
  type Endpoint,
  type FormattedFile,
  type Reply,
  type SuccessStatus,
  showsStatus,
} from '../kernel/record.ts';
import type { TSchema } from '../kernel/schema.ts';
import { hasSecret, serialise, serialiseWithoutSecrets } from '../kernel/serialise.ts';
import { sharedText } from '../kernel/shared-body.ts';

export interface Result {
  readonly status: SuccessStatus | 304;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** The number of bytes of a body that is no text: each of its characters is one byte. */
  readonly length?: number;
}

const member = (body: unknown, name: string): unknown =>
  body !== null && typeof body === 'object' ? (body as Record<string, unknown>)[name] : undefined;

const secretAnswers = new WeakMap<object, boolean>();

function holdsSecret(schema: object): boolean {
  const known = secretAnswers.get(schema) ?? hasSecret(schema);
  secretAnswers.set(schema, known);
  return known;
}

function headersOf(
  { answers, waits, formats }: Endpoint,
  { status, body }: Reply,
  nextPage: (cursor: string) => string,
): Record<string, string> {
  const schema = answers[status];
  const headers: Record<string, string> = {
    'cache-control': schema && holdsSecret(schema) ? 'no-store' : 'private, no-cache',
  };
  if (Object.keys(formats).length > 0) headers['vary'] = 'accept';
  if (showsStatus({ answers, formats }, status)) headers['operation-status'] = String(member(body, 'status'));
  const etag = member(body, 'etag');
  if (typeof etag === 'string') headers['etag'] = `"${etag}"`;
  // A feed has no last page, so a client that follows `next` links would never stop.
  const cursor = waits ? null : member(body, 'next_cursor');
  if (typeof cursor === 'string') headers['link'] = maskKeys(`<${nextPage(cursor)}>; rel="next"`);
  return headers;
}

/** For answers whose media type depends on the `Accept` header of the request. */
export function inFormat(result: Result, format: string): Result {
  return { ...result, headers: { ...result.headers, 'content-type': format, vary: 'accept' } };
}

function textOf(schema: TSchema, body: unknown): string {
  return sharedText(body, () => maskKeys(serialise(schema, body)));
}

function inOtherFormat(
  { status, headers }: Result,
  format: string,
  { content, fileName }: FormattedFile,
): Result {
  if (fileName !== undefined) headers['content-disposition'] = `attachment; filename="${fileName}"`;
  if (typeof content === 'string') {
    headers['content-type'] = `${format}; charset=utf-8`;
    return { status, headers, body: maskKeys(content) };
  }
  headers['content-type'] = format;
  return { status, headers, body: content.toString('latin1'), length: content.length };
}

/**
 * Masks API keys in the body. No call returns a key, since people create keys in the portal, but a name, label or
 * reference that the caller chose may contain one by mistake.
 */
export function answer(
  endpoint: Endpoint,
  reply: Reply,
  nextPage: (cursor: string) => string,
  format: string | null = null,
): Result {
  const schema = endpoint.answers[reply.status];
  if (schema === undefined)
    throw new Error(`${endpoint.id} answered ${reply.status}, which its record does not declare.`);
  const headers = headersOf(endpoint, reply, nextPage);
  const write = format === null || reply.status !== 200 ? undefined : endpoint.formats[format];
  if (format !== null && write !== undefined) {
    const written = write(reply.body);
    const file: FormattedFile = typeof written === 'string' ? { content: written } : written;
    return inOtherFormat({ status: reply.status, headers, body: null }, format, file);
  }
  return { status: reply.status, headers, body: schema === null ? null : textOf(schema, reply.body) };
}

/** The body that is stored for idempotent replays, without secrets. */
export function rememberable(endpoint: Endpoint, reply: Reply): string {
  const schema = endpoint.answers[reply.status];
  return schema === undefined || schema === null ? '' : maskKeys(serialiseWithoutSecrets(schema, reply.body));
}

export function notModified(result: Result, ifNoneMatch: readonly string[] | undefined): Result {
  const etag = result.headers['etag'];
  if (etag === undefined || ifNoneMatch === undefined || result.status !== 200) return result;
  // A GET uses weak comparison (RFC 9110, 13.1.2): a proxy that compressed the answer may have made the tag weak.
  const isSame = ifNoneMatch.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
  return isSame ? { status: 304, headers: result.headers, body: null } : result;
}
