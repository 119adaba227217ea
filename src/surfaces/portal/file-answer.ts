/** How a file of the portal is answered: security headers, compression, caching. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from '../openapi/etag.ts';
import type { BuiltFile } from './built-files.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Browsers ignore HSTS over plain HTTP, so it is sent only where the portal has an https address. */
export const portalHeaders = (isHttps: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

const YEAR = 31_536_000;

function accepts(request: FastifyRequest, coding: string): boolean {
  const offered = request.headers['accept-encoding'] ?? '';
  return offered
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .some(([name, weight = '1']) => name === coding && Number(weight) > 0);
}

function bodyFor(
  request: FastifyRequest,
  file: BuiltFile,
): { readonly body: Buffer; readonly coding?: string } {
  if (file.br !== undefined && accepts(request, 'br')) return { body: file.br, coding: 'br' };
  if (file.gzip !== undefined && accepts(request, 'gzip')) return { body: file.gzip, coding: 'gzip' };
  return { body: file.plain };
}

/** Compressed forms have ETags of their own. */
const tagWith = (etag: string, coding: string | undefined): string =>
  coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`;

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile,
  headers: Readonly<Record<string, string>>,
): unknown {
  const { body, coding } = bodyFor(request, file);
  const etag = tagWith(file.etag, coding);
  reply.headers({
    ...request.exchange.headers,
    ...headers,
    etag,
    'cache-control': file.isImmutable ? `public, max-age=${YEAR}, immutable` : 'no-cache',
    vary: 'Accept-Encoding',
  });
  if (isKnown(request, etag)) return reply.code(304).send();
  if (coding !== undefined) reply.header('content-encoding', coding);
  return reply.type(file.type).send(body);
}
