/**
 * Creates the HTTP server. API requests go from node:http directly to the dispatch; Fastify serves the other pages
 * and passes requests without a page to the dispatch. That is also how requests of Fastify's `inject`, which bypasses
 * node:http, reach the API.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type ServerOptions as HttpOptions,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import type { ServerContext } from './api-request.ts';
import { Outbox } from './batched-answers.ts';
import { answerBrokenHttp } from './broken-http.ts';
import { Consoles, wantsConsole } from './console.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { serveDownloads } from './downloads.ts';
import { type StreamTimes, streamTimes } from './event-stream.ts';
import { openExchange } from './exchange.ts';
import { hasTooManyHeaders, tooManyHeaders } from './header-limit.ts';
import { observePages, openObserver } from './observation.ts';
import { readHeader } from './read-header.ts';
import { refuse } from './refusal.ts';
import { originForm } from './request-target.ts';
import { ignoreUpgrade } from './upgrade.ts';

const PATIENCE_MS = 30_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

declare module 'fastify' {
  interface FastifyInstance {
    dispatch: Dispatch;
  }
  interface FastifyRequest {
    exchange: Exchange;
  }
}

export interface ServerOptions {
  /** The services with the current configuration, which a reload replaces; each request uses one of them. */
  readonly current?: () => Services;
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  readonly headersMilliseconds?: number;
  readonly bodyMilliseconds?: number;
  readonly streamTimes?: Partial<StreamTimes>;
  readonly consoleBeatMilliseconds?: number;
  /** Called with every successful answer before it is sent; the tests check the answers against their schemas. */
  readonly witness?: (endpoint: Endpoint, status: number, body: string | null) => void;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const unreadable = (detail: string): Problem => new Problem('malformed_request', { detail });

const lacksHost = (request: IncomingMessage): boolean =>
  request.httpVersion === '1.1' && readHeader(request, 'host') === undefined;

type Tls = NonNullable<ServerOptions['tls']>;

const secureContext = ({ certificate, key }: Tls) => ({
  cert: readFileSync(certificate),
  key: readFileSync(key),
  minVersion: 'TLSv1.2' as const,
});

/**
 * Reads the certificate files again. Open connections keep the old certificate. Returns when the new one expires. Throws
 * and changes nothing if the files do not fit together.
 */
export function reloadTls({ server }: FastifyInstance, tls: Tls): string {
  const context = secureContext(tls);
  (server as unknown as HttpsServer).setSecureContext(context);
  return new X509Certificate(context.cert).validTo;
}

function openHttp(
  { tls, headersMilliseconds = PATIENCE_MS }: ServerOptions,
  dispatch: Dispatch,
  pages: Listener,
): Server {
  const limits: HttpOptions = {
    headersTimeout: headersMilliseconds,
    connectionsCheckingInterval: Math.min(headersMilliseconds, PATIENCE_MS),
    keepAliveTimeout: 72_000,
    requestTimeout: 60_000,
    // Node's own 400 has no body, so the listener checks the header Host itself.
    requireHostHeader: false,
  };
  const listener: Listener = (request, response) => {
    if (hasTooManyHeaders(request)) dispatch.takeUnreadable(request, response, tooManyHeaders());
    else if (lacksHost(request))
      dispatch.takeUnreadable(
        request,
        response,
        unreadable('HTTP/1.1 requires the header Host, and the request has none.'),
      );
    else if (!dispatch.take(request, response)) pages(request, response);
  };
  const server = tls
    ? createHttpsServer({ ...limits, ...secureContext(tls) }, listener)
    : createHttpServer(limits, listener);
  // 0: Node keeps all headers. Its default would drop those beyond the thousandth.
  server.maxHeadersCount = 0;
  // An `Expect` header other than 100-continue is ignored instead of refused.
  server.on('checkExpectation', listener);
  return server;
}

export function createServer(services: Services, options: ServerOptions = {}): FastifyInstance {
  const current = options.current ?? (() => services);
  const context: ServerContext = {
    get services() {
      return current();
    },
    observer: openObserver(services),
    outbox: new Outbox(),
    bodyMilliseconds: options.bodyMilliseconds ?? PATIENCE_MS,
    streamTimes: { ...streamTimes, ...options.streamTimes },
    witness: options.witness,
    closing: false,
  };
  const dispatch = createDispatch(context);
  const consoles = new Consoles(context, options.consoleBeatMilliseconds);
  const app = Fastify({
    serverFactory: (pages) => openHttp(options, dispatch, pages),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: () => '',
    exposeHeadRoutes: false,
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const detail = 'The URL contains a percent sign that is not part of a valid percent-encoding.';
      dispatch.takeUnreadable(request.raw, reply.raw, unreadable(detail));
    },
    clientErrorHandler: (error: Error, socket: Socket) => answerBrokenHttp(services, error, socket),
  }) as FastifyInstance;
  app.decorate('dispatch', dispatch);
  // Fastify reads no bodies: the API reads them after all checks that need no body.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('preClose', (done) => {
    context.closing = true;
    // Waiting calls, streams, consoles and downloads would otherwise keep the server open.
    services.waiters.close();
    consoles.close();
    cutDownloads();
    done();
  });
  app.addHook('onClose', () => consoles.removed());
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = refuse(request.exchange ?? openExchange(request), services, error);
    reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(({ raw }, reply) => {
    reply.hijack();
    if (!dispatch.take(raw, reply.raw)) dispatch.takeStray(raw, reply.raw);
  });
  observePages(app, context.observer);
  const cutDownloads = serveDownloads(app, current);
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (wantsConsole(request)) void consoles.receive(request, socket, head);
    else ignoreUpgrade(app.server, request, socket, head);
  });
  return app;
}
