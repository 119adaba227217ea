/** Checks and rate limits `/openapi.json?for=me` like a call of `listMyApis`, which returns the same information. */
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

/** Creates the exchange of a request. Injected by the HTTP surface, because surfaces do not import each other. */
export type OpenExchange = (request: FastifyRequest) => Exchange;

/**
 * Sets the request id and the client, so that the log line and the problems have the same form as those of API calls.
 */
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
