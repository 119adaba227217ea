/** `?for=me` passes the same checks as a call of My APIs, whose question it asks; it is only not counted by the limiter. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/access/caller.ts';
import { callerOf, type Exchange, type Stage } from '../../kernel/exchange.ts';
import { parseAddress } from '../../kernel/net/address.ts';
import { allowlist } from '../../kernel/pipeline/allowlist.ts';
import { clientAddressStage } from '../../kernel/pipeline/client-address.ts';
import { key } from '../../kernel/pipeline/key.ts';
import { permission } from '../../kernel/pipeline/permission.ts';
import { requestId } from '../../kernel/pipeline/request-id.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';

const NOBODY = parseAddress('0.0.0.0') as NonNullable<ReturnType<typeof parseAddress>>;
const UNCOUNTED = {
  allowed: true,
  limit: 200,
  remaining: 200,
  resetSeconds: 0,
  retryAfterSeconds: 0,
} as const;

/** Gives the request its id and its client, so that its log line and its refusals look like all others. */
export async function openExchange(request: FastifyRequest, services: Services): Promise<Exchange> {
  const [path = '/'] = (request.raw.url ?? '/').split('?', 1);
  const exchange: Exchange = {
    incoming: {
      method: request.method,
      path,
      headers: request.headers,
      rawHeaders: request.raw.rawHeaders,
      peer: request.socket.remoteAddress ?? '',
      query: request.query as Record<string, unknown>,
      params: {},
    },
    endpoint: undefined,
    allowedMethods: undefined,
    requestId: '',
    client: { address: NOBODY, rateLimitKey: '', rate: UNCOUNTED, userAgent: '' },
    caller: undefined,
    authenticated: false,
    headers: {},
  };
  await requestId(exchange, services);
  await clientAddressStage(exchange, services);
  return exchange;
}

const checks: readonly Stage[] = [key, allowlist, permission];

export async function authenticate(
  exchange: Exchange,
  services: Services,
  endpoint: Endpoint,
): Promise<Caller> {
  const asCall: Exchange = { ...exchange, endpoint };
  for (const check of checks) await check(asCall, services);
  exchange.caller = callerOf(asCall);
  return exchange.caller;
}
