/**
 * Serves MCP (Streamable HTTP, stateless) at `/mcp` and `/mcp/readonly`. The request itself is checked like an API
 * request; each call that a tool makes is checked again, as the operation that it calls.
 */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJson } from '../../kernel/body/json.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { allowlist } from '../../pipeline/allowlist.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { key } from '../../pipeline/key.ts';
import { rateLimit } from '../../pipeline/rate-limit.ts';
import { requestId } from '../../pipeline/request-id.ts';
import { announcesBody, readBytes } from '../http/body.ts';
import { openExchange } from '../http/exchange.ts';
import { openObserver } from '../http/observation.ts';
import { refuseForeignSite } from './own-site.ts';
import type { Visitor } from './server.ts';

/** Room for the body of one call and the message around it. */
const ENVELOPE_BYTES = 8_192;

/** The endpoint as which the request is checked: it needs a valid key and no permission. */
function whoami({ registry }: Services): Endpoint {
  const record = registry.endpoints.find(({ id }) => id === 'getWhoami');
  if (record === undefined) throw new Error('The registry has no getWhoami, as which /mcp is checked.');
  return record;
}

/**
 * Throws the refusal. A valid key whose address sent too much is let in: its next tool call is refused with a result
 * that tells the model how long to wait, which a refused HTTP request would not.
 */
async function authenticate(exchange: Exchange, services: Services): Promise<Exchange> {
  const asCall: Exchange = { ...exchange, endpoint: whoami(services) };
  const limited = await rateLimit(asCall, services);
  const refused = await runStages([key, allowlist], asCall, services);
  if (limited !== undefined && refused !== undefined) throw limited;
  if (refused !== undefined) throw refused;
  exchange.caller = asCall.caller;
  return asCall;
}

/** Older clients may send several messages in one request. Each of them counts as a request; the first did already. */
async function countBatch(messages: readonly unknown[], asCall: Exchange, services: Services): Promise<void> {
  for (const _ of messages.slice(1)) {
    const limited = await rateLimit(asCall, services);
    if (limited !== undefined) throw limited;
  }
}

const parseFailure = (detail: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_700, message: `Parse error: ${detail}` },
});

export interface McpOptions {
  /** The services with the current configuration, which a reload replaces. */
  readonly current?: () => Services;
  readonly bodyMilliseconds?: number;
}

export function serveMcp(app: FastifyInstance, services: Services, options: McpOptions = {}): void {
  const { current = () => services, bodyMilliseconds = 30_000 } = options;
  const observer = openObserver(services);
  let opened: Promise<McpHttpHandler> | undefined;
  const open = (): Promise<McpHttpHandler> => {
    opened ??= import('./handler.ts').then(({ openHandler }) => openHandler(services));
    return opened;
  };
  app.addHook('preClose', async () => (await opened)?.close());

  const identify = async (request: FastifyRequest): Promise<void> => {
    request.exchange = openExchange(request);
    await runStages([requestId, clientAddressStage], request.exchange, current());
  };

  const serve = async (
    request: FastifyRequest,
    reply: FastifyReply,
    isReadOnly: boolean,
  ): Promise<unknown> => {
    const { raw, exchange } = request;
    const now = current();
    reply.headers(exchange.headers);
    refuseForeignSite(raw.headers, now.baseUrl);
    const asCall = await authenticate(exchange, now);
    reply.headers(asCall.headers);
    const bytes = now.provider.server.body_limit_bytes + ENVELOPE_BYTES;
    const text = announcesBody(raw) ? await readBytes(raw, { bytes, milliseconds: bodyMilliseconds }) : null;
    let parsedBody: unknown;
    try {
      parsedBody = text === null || text.length === 0 ? undefined : parseJson(text.toString('utf8'));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return reply.code(400).type('application/json').send(parseFailure(error.message));
    }
    if (Array.isArray(parsedBody)) await countBatch(parsedBody, asCall, now);
    reply.headers(asCall.headers);
    // Fails closed: only a clear no is a no.
    const wantsReadOnly =
      isReadOnly || !/^(false|0|no|)$/i.test(exchange.incoming.header('x-mcp-readonly') ?? '');
    const visitor: Visitor = { services: now, exchange: asCall, observer, isReadOnly: wantsReadOnly };
    const departure = new AbortController();
    reply.raw.once('close', () => departure.abort());
    // Without its body, which is parsed already.
    const asked = new Request(`${now.baseUrl}${exchange.incoming.path}`, {
      method: raw.method ?? 'GET',
      headers: webHeaders(raw.headers),
      signal: departure.signal,
    });
    const handler = await open();
    const answer = await handler.fetch(asked, {
      authInfo: { token: '', clientId: '', scopes: [], extra: { visitor } },
      ...(parsedBody === undefined ? {} : { parsedBody }),
    });
    return send(reply, answer);
  };

  /** A stateless server has no stream to open with GET, and no session to end with DELETE. */
  const refuseMethod = async ({ exchange }: FastifyRequest): Promise<never> => {
    const now = current();
    const limited = await rateLimit({ ...exchange, endpoint: whoami(now) }, now);
    if (limited !== undefined) throw limited;
    throw new Problem('method_not_allowed', {
      detail: `${exchange.incoming.method} is not offered here; POST is.`,
      headers: { allow: 'POST' },
    });
  };

  const route = (url: string, isReadOnly: boolean): void => {
    app.route({
      method: 'POST',
      url,
      onRequest: identify,
      handler: (request, reply) => serve(request, reply, isReadOnly),
    });
    app.route({
      method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      onRequest: identify,
      handler: refuseMethod,
    });
  };
  route('/mcp', false);
  route('/mcp/readonly', true);
}

function webHeaders(headers: FastifyRequest['headers']): Headers {
  const made = new Headers();
  // The key is checked already. Nothing behind this point needs it in this form.
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'x-api-key' && !name.startsWith(':')) made.set(name, String(value));
  return made;
}

function send(reply: FastifyReply, answer: Response): unknown {
  reply.code(answer.status);
  answer.headers.forEach((value, name) => void reply.header(name, value));
  reply.header('cache-control', 'no-store');
  // Without the condition, no body would be sent as the JSON text null.
  return answer.body === null ? reply.send() : reply.send(answer.body);
}
