/** `?for=me` passes the same checks as a call of My APIs, whose question it asks, and is counted like one. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/access/caller.ts';
import { callerOf, type Exchange, type Stage } from '../../kernel/exchange.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { allowlist } from '../../pipeline/allowlist.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { key } from '../../pipeline/key.ts';
import { permission } from '../../pipeline/permission.ts';
import { rateLimit } from '../../pipeline/rate-limit.ts';
import { requestId } from '../../pipeline/request-id.ts';

/** How the HTTP surface reads a request; handed in, since surfaces do not know each other. */
export type OpenExchange = (request: FastifyRequest) => Exchange;

/** Gives the request its id and its client, so that its log line and its refusals look like all others. */
export async function identify(exchange: Exchange, services: Services): Promise<Exchange> {
  await runStages([requestId, clientAddressStage], exchange, services);
  return exchange;
}

const checks: readonly Stage[] = [rateLimit, key, allowlist, permission];

export async function authenticate(
  exchange: Exchange,
  services: Services,
  endpoint: Endpoint,
): Promise<Caller> {
  const asCall: Exchange = { ...exchange, endpoint };
  const refused = await runStages(checks, asCall, services);
  if (refused !== undefined) throw refused;
  exchange.caller = callerOf(asCall);
  return exchange.caller;
}
