/**
 * `/portal/v1/call/{account_id}/<path of an endpoint>`: a person calls an endpoint of the API, as a member of the account.
 * The call takes the way of every other call; only the checks that identify the caller differ.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Exchange, Stage } from '../../kernel/exchange.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { requestId } from '../../pipeline/request-id.ts';
import { originForm } from '../http/request-target.ts';
import { answerHeaders } from './answer-headers.ts';
import { MOST_CALLS } from './call-limit.ts';
import { admitVisitor, limit, refuseVisitor, requestContextOf } from './session.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const CALL = /^\/portal\/v1\/call\/([^/?#]+)(\/[^#]*)/;

/** Finds the session and the membership. The rights of the member are checked with each endpoint. */
function identify(request: IncomingMessage, accountId: string): Stage {
  return async (exchange: Exchange, services: Services) => {
    await runStages([requestId, clientAddressStage], exchange, services);
    Object.assign(exchange.headers, answerHeaders);
    const context = requestContextOf(services, request, exchange);
    const found = await admitVisitor(services, request, context);
    if (found === null) return refuseVisitor(services, request, context);
    // Writes into the audit log of the account that the person has entered it, once for each session.
    await found.member(accountId);
    exchange.session = {
      id: found.session.id,
      accountId,
      isFresh: found.session.reauthenticated_until !== null,
      endsAt: found.session.expires_at.getTime(),
    };
    exchange.client.rate = {
      allowed: true,
      limit: MOST_CALLS,
      remaining: limit.left(found.session.id),
      resetSeconds: limit.resetSeconds(),
      retryAfterSeconds: 0,
    };
    return undefined;
  };
}

export function serveCalls(app: FastifyInstance): void {
  app.route({
    method: METHODS as 'GET'[],
    url: '/portal/v1/call/:account_id/*',
    handler: ({ raw }, reply) => {
      const [, accountId = '', url = '/'] = CALL.exec(originForm(raw.url ?? '/')) ?? [];
      reply.hijack();
      app.dispatch.takeFrom(raw, reply.raw, url, identify(raw, accountId));
    },
  });
}
