/**
 * Fastify routes and speaks HTTP; everything else is the kernel's pipeline. Each record becomes one route, and each
 * path answers the methods it does not have with 405.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange, Refused } from '../../kernel/exchange.ts';
import { admit } from '../../kernel/pipeline/admission.ts';
import { execute } from '../../kernel/pipeline/execution.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { refuseUndecodable } from '../../kernel/query-string.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { announcesBody, readBody } from './body.ts';
import { answerBrokenHttp } from './broken-http.ts';
import { NOWHERE, openExchange, type Target } from './exchange.ts';
import { observe } from './observation.ts';
import { groupByPath, offeredBy, offersByPath, originForm } from './paths.ts';
import { refuse } from './refusal.ts';

const BODY_LIMIT = 256 * 1024;
const PATIENCE_MS = 30_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** A request must fit into one line and a few headers; no id is cut short before it is judged. */
const LONGEST_PARAMETER = 16 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

export interface ServerOptions {
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  readonly headersMilliseconds?: number;
  readonly bodyMilliseconds?: number;
  /** Sees every successful answer before it leaves; the tests hold them against their schemas. */
  readonly witness?: (endpoint: Endpoint, status: number, body: string | null) => void;
}

/** Past Fastify, which has nothing to add to a finished answer: its hooks still run, its serialisers need not. */
function send(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  body: string | null,
): void {
  if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
  reply.hijack();
  reply.raw.writeHead(status, headers).end(body ?? undefined);
}

function route(app: FastifyInstance, services: Services, options: ServerOptions): void {
  const receive = (request: FastifyRequest, reply: FastifyReply, done: () => void, target: Target): void => {
    const exchange = openExchange(request, target);
    request.exchange = exchange;
    const turnAway = (error: unknown): void => {
      const { status, headers, body } = refuse(exchange, services, error);
      // What is left of a body we did not read would be taken for the next request on this connection.
      if (announcesBody(request.raw)) headers['connection'] = 'close';
      send(reply, status, headers, body);
    };
    const decide = (refused: Refused): void => (refused === undefined ? done() : turnAway(refused));
    try {
      const refused = admit(exchange, services);
      if (refused instanceof Promise) refused.then(decide, turnAway);
      else decide(refused);
    } catch (error) {
      turnAway(error);
    }
  };

  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { exchange } = request;
    try {
      refuseUndecodable(request.raw.url ?? '');
      const hasBody = announcesBody(request.raw);
      if (hasBody && exchange.endpoint?.body === undefined) {
        throw new Problem('malformed_request', { detail: 'This call takes no body; use query parameters.' });
      }
      const bytes = exchange.endpoint?.bodyLimitBytes ?? BODY_LIMIT;
      const milliseconds = options.bodyMilliseconds ?? PATIENCE_MS;
      const body = hasBody ? await readBody(request.raw, { bytes, milliseconds }) : undefined;
      const result = await execute(exchange, services, body);
      if (exchange.endpoint) options.witness?.(exchange.endpoint, result.status, result.body);
      const headers = Object.assign(exchange.headers, result.headers);
      if (result.body !== null) headers['content-type'] = 'application/json';
      send(reply, result.status, headers, result.body);
    } catch (error) {
      const { status, headers, body } = refuse(exchange, services, error);
      if (!request.raw.complete) headers['connection'] = 'close';
      send(reply, status, headers, body);
    }
  };

  for (const [path, endpoints] of groupByPath(services.registry.endpoints)) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const offered = offeredBy(endpoints);
    const add = (method: string | string[], target: Target): void => {
      // Not in the route's `config`: asking Fastify for that at each request makes a copy of all its options.
      app.route({
        method,
        url,
        handler,
        onRequest: (request, reply, done) => receive(request, reply, done, target),
      });
    };
    for (const endpoint of endpoints) {
      add(endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method, { ...NOWHERE, endpoint });
    }
    const others = METHODS.filter((method) => !offered.includes(method));
    add(others, { ...NOWHERE, allowedMethods: offered.join(', ') });
  }
  const offers = offersByPath(services.registry.endpoints);
  app.setNotFoundHandler(
    {
      preHandler: (request, reply, done) => {
        // TRACE, PROPFIND and the like have no routes: too many for what nobody calls.
        const strange = METHODS.includes(request.method) ? undefined : offers(request.raw.url ?? '');
        receive(request, reply, done, { ...NOWHERE, allowedMethods: strange });
      },
    },
    handler,
  );
}

/** A URL that cannot be decoded has no route; it is counted like any other request. */
async function refuseBadUrl(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const exchange = openExchange(request);
  request.exchange = exchange;
  let error: unknown = new Problem('malformed_request', {
    detail: 'The URL holds a percent sign that encodes nothing.',
  });
  try {
    const refused = await admit(exchange, services);
    if (refused?.code === 'rate_limited') error = refused;
  } catch (fault) {
    error = fault;
  }
  const { status, headers, body } = refuse(exchange, services, error);
  send(reply, status, headers, body);
}

export function createServer(services: Services, options: ServerOptions = {}): FastifyInstance {
  const { tls, headersMilliseconds: headersTimeout = PATIENCE_MS } = options;
  const patience = { headersTimeout, connectionsCheckingInterval: Math.min(headersTimeout, PATIENCE_MS) };
  const common = {
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    keepAliveTimeout: 72_000,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    rewriteUrl: ({ url = '/' }: IncomingMessage) => originForm(url),
    genReqId: () => '',
    exposeHeadRoutes: false,
    frameworkErrors: (_: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void refuseBadUrl(services, request, reply);
    },
    clientErrorHandler: (error: Error, socket: Socket) => answerBrokenHttp(services, error, socket),
  };
  const app = (
    tls
      ? Fastify({
          ...common,
          https: {
            ...patience,
            cert: readFileSync(tls.certificate),
            key: readFileSync(tls.key),
            minVersion: 'TLSv1.2',
          },
        })
      : Fastify({ ...common, http: patience })
  ) as FastifyInstance;
  // What else a client expects beside 100-continue is for no one here to meet, and no reason to refuse.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Bodies are read by our own rules, after all that can be refused without them.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = refuse(request.exchange ?? openExchange(request), services, error);
    send(reply, status, headers, body);
  });
  observe(app, services);
  route(app, services, options);
  return app;
}
