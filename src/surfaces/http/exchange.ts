/** Wraps an HTTP request as the `Exchange` that the pipeline stages use. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { Client } from '../../kernel/client.ts';
import type { Exchange, Incoming } from '../../kernel/exchange.ts';
import { parseAddress } from '../../kernel/net/address.ts';
import { LIMIT } from '../../kernel/rate-limit/port.ts';
import { readHeader } from './read-header.ts';
import { endOfPath } from './request-target.ts';
import type { Match } from './router.ts';

const NOBODY: Client = {
  address: parseAddress('0.0.0.0') as NonNullable<ReturnType<typeof parseAddress>>,
  rateLimitKey: '',
  rate: { allowed: true, limit: LIMIT, remaining: LIMIT, resetSeconds: 0, retryAfterSeconds: 0 },
  userAgent: '',
};

const NOWHERE: Match = { place: { endpoints: new Map(), allowed: '', parameters: [] }, values: [] };

/** Parses headers, query and parameters on first access, because most refused requests never need them. */
class Received implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly peer: string;
  readonly #request: IncomingMessage;
  readonly #url: string;
  readonly #match: Match | undefined;
  #query: Incoming['query'] | undefined;
  #params: Incoming['params'] | undefined;

  constructor(request: IncomingMessage, url: string, path: string, match: Match | undefined) {
    this.method = request.method ?? 'GET';
    this.path = path;
    this.#request = request;
    this.peer = request.socket.remoteAddress ?? '';
    this.#url = url;
    this.#match = match;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  header(name: string): string | undefined {
    return readHeader(this.#request, name);
  }

  get query(): Incoming['query'] {
    // No limit on the number of parameters: Node already limits the size of the head, and parameters beyond a limit
    // would be ignored instead of refused.
    this.#query ??= parse(this.#url.slice(this.path.length + 1), '&', '=', { maxKeys: 0 });
    return this.#query;
  }

  get params(): Incoming['params'] {
    if (this.#params === undefined) {
      const params: Record<string, string> = {};
      const { place, values } = this.#match ?? NOWHERE;
      for (let i = 0; i < values.length; i++) params[place.parameters[i]!] = values[i]!;
      this.#params = params;
    }
    return this.#params;
  }
}

export function exchangeOf(request: IncomingMessage, url: string, path: string, match?: Match): Exchange {
  const incoming = new Received(request, url, path, match);
  const endpoint = match?.place.endpoints.get(incoming.method);
  return {
    incoming,
    endpoint,
    allowedMethods: endpoint === undefined ? match?.place.allowed : undefined,
    requestId: '',
    client: NOBODY,
    caller: undefined,
    session: undefined,
    authenticated: false,
    headers: {},
  };
}

/** For pages that are not API endpoints, such as the OpenAPI document. */
export function openExchange({ raw }: { readonly raw: IncomingMessage }): Exchange {
  const url = raw.url ?? '/';
  return exchangeOf(raw, url, url.slice(0, endOfPath(url)));
}
