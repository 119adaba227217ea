/** Serves the acts under `/portal/v1`. Each request passes the same checks, in this order, before its handler runs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { requestId } from '../../pipeline/request-id.ts';
import type { Authority } from '../../portal-api/authority.ts';
import { refusal, rolesWith } from '../../portal-api/authority.ts';
import { memberActor } from '../../portal-api/people/request-context.ts';
import { requireReauthenticated } from '../../portal-api/people/sessions/sessions.ts';
import { rejected } from '../../portal-api/portal-write.ts';
import { readBody } from '../http/body.ts';
import { openExchange } from '../http/exchange.ts';
import { type Act, isRead, type MemberCall, type VisitorCall } from './act.ts';
import { acts } from './acts/index.ts';
import { answerHeaders } from './answer-headers.ts';
import { writeCookie } from './cookie.ts';
import { admitVisitor, type PortalSession, refuseVisitor, requestContextOf } from './session.ts';

const PREFIX = '/portal/v1';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export interface ActOptions {
  /** Called with every answer before it is sent; the tests check the answers against their schemas. */
  readonly witness?: (act: Act, answer: unknown) => void;
}

async function identify(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.exchange = openExchange(request);
  await runStages([requestId, clientAddressStage], request.exchange, services);
  Object.assign(request.exchange.headers, answerHeaders);
  reply.headers(request.exchange.headers);
}

/** In an account: a foreign account answers like one that does not exist. */
async function admitMember(
  services: Services,
  act: Act,
  found: PortalSession,
  call: VisitorCall,
): Promise<MemberCall> {
  const accountId = call.params['account_id'] ?? '';
  const membership = await found.member(accountId);
  if (membership === null)
    throw new Problem('not_found', { detail: `You are not a member of an account ${accountId}.` });
  const actor = memberActor(call.context, { id: membership.member_id, name: membership.member_name });
  const needed = act.authority as Authority;
  if (!rolesWith(needed).includes(membership.role)) {
    const problem = refusal(needed);
    if (!isRead(act)) services.audit.push(accountId, rejected(actor, act.id, problem));
    throw problem;
  }
  return { ...call, session: found.session, accountId, membership, actor };
}

/** Ids of everything in a path. Other text names nothing, and the database could not even compare some of it. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

function requireIds(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params))
    if (!ID.test(value)) throw new Problem('not_found', { detail: `The path has no valid ${name}.` });
}

async function readInput(services: Services, act: Act, request: FastifyRequest): Promise<unknown> {
  if (act.method === 'GET' || act.method === 'DELETE') {
    const query = { ...(request.query as Record<string, unknown>) };
    const faults = faultsOf(act.input, query, 'query');
    if (faults.length > 0) throw invalid(faults);
    return query;
  }
  const { body_limit_bytes: bytes, body_timeout_seconds: seconds } = services.provider.server;
  const body = (await readBody(request.raw, { bytes, milliseconds: seconds * 1000 })) ?? {};
  const faults = faultsOf(act.input, body);
  if (faults.length > 0) throw invalid(faults);
  return body;
}

/** Whatever can be decided without the input is decided before it is read. */
async function needsReauthentication({ reauthentication }: Act, call: VisitorCall): Promise<boolean> {
  return typeof reauthentication === 'function'
    ? reauthentication(call as MemberCall)
    : reauthentication === true;
}

function isDangerous({ reauthentication }: Act, input: unknown): boolean {
  if (typeof reauthentication !== 'object') return false;
  return !reauthentication.safe.includes((input as Record<string, unknown>)[reauthentication.by]);
}

async function perform(services: Services, act: Act, request: FastifyRequest, reply: FastifyReply) {
  const context = requestContextOf(services, request.raw, request.exchange);
  const found = await admitVisitor(services, request.raw, context);
  if (act.authority !== 'none' && found === null) throw await refuseVisitor(services, request.raw, context);
  const visitor: VisitorCall = {
    services,
    context,
    params: request.params as Record<string, string>,
    session: found?.session ?? null,
    keepToken(token) {
      if (token !== null && !act.givesSession) throw new Error(`${act.id} does not declare givesSession.`);
      reply.header('set-cookie', writeCookie(context.origin, token));
    },
  };
  requireIds(visitor.params);
  const isInAccount = act.authority !== 'none' && act.authority !== 'person';
  const call = isInAccount && found !== null ? await admitMember(services, act, found, visitor) : visitor;
  if (found !== null && (await needsReauthentication(act, call))) requireReauthenticated(found.session);
  const input = await readInput(services, act, request);
  if (found !== null && isDangerous(act, input)) requireReauthenticated(found.session);
  return act.handle(call, input);
}

export function serveActs(app: FastifyInstance, services: Services, options: ActOptions = {}): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => identify(services, request, reply);
  for (const act of acts) {
    app.route({
      method: act.method,
      url: `${PREFIX}${act.path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`,
      onRequest,
      handler: async (request, reply) => {
        const text = JSON.stringify(await perform(services, act, request, reply));
        options.witness?.(act, JSON.parse(text));
        return reply
          .code(act.status ?? 200)
          .type('application/json')
          .send(text);
      },
    });
  }
  // A route of its own: without it, the path would count in the rate limit of the API.
  app.route({
    method: METHODS as 'GET'[],
    url: `${PREFIX}/*`,
    onRequest,
    handler: () => {
      throw new Problem('not_found', {
        detail: 'The portal has no such path, or not with this method.',
        nextStep: 'Reload the page: the portal may have been updated.',
      });
    },
  });
}
