/** What came over HTTP, as the stages of the kernel take it. */
import type { FastifyRequest } from 'fastify';
import type { Exchange } from '../../kernel/exchange.ts';
import { parseAddress } from '../../kernel/net/address.ts';
import { LIMIT } from '../../kernel/rate-limit/port.ts';

const NOBODY = parseAddress('0.0.0.0') as NonNullable<ReturnType<typeof parseAddress>>;
const UNCOUNTED = {
  allowed: true,
  limit: LIMIT,
  remaining: LIMIT,
  resetSeconds: 0,
  retryAfterSeconds: 0,
} as const;

/** What a request was routed to. */
export type Target = Pick<Exchange, 'endpoint' | 'allowedMethods'>;
export const NOWHERE: Target = { endpoint: undefined, allowedMethods: undefined };

export function openExchange(
  request: FastifyRequest,
  { endpoint, allowedMethods }: Target = NOWHERE,
): Exchange {
  const url = request.raw.url ?? '/';
  const mark = url.indexOf('?');
  return {
    incoming: {
      method: request.method,
      path: mark < 0 ? url : url.slice(0, mark),
      headers: request.headers,
      rawHeaders: request.raw.rawHeaders,
      peer: request.socket.remoteAddress ?? '',
      query: request.query as Record<string, unknown>,
      params: request.params as Record<string, string>,
    },
    endpoint,
    allowedMethods,
    requestId: '',
    client: { address: NOBODY, rateLimitKey: '', rate: UNCOUNTED, userAgent: '' },
    caller: undefined,
    authenticated: false,
    headers: {},
  };
}
