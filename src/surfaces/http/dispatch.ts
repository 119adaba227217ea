/**
 * Takes requests for API paths directly from node:http, before Fastify, so that a flood of requests costs no more
 * than the checks of the pipeline.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Stage } from '../../kernel/exchange.ts';
import type { Problem } from '../../kernel/problems/problem.ts';
import { ApiRequest, type ServerContext } from './api-request.ts';
import { exchangeOf } from './exchange.ts';
import { endOfPath, originForm } from './request-target.ts';
import { buildRouter, type Match } from './router.ts';

export interface Dispatch {
  /** Returns false, and leaves the request untouched, if the path belongs to no endpoint. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** Serves a call that a person makes. `url` is the path and query of the call, without the prefix of the portal. */
  takeFrom(request: IncomingMessage, response: ServerResponse, url: string, identify: Stage): void;
  /** Answers a request whose path belongs neither to an endpoint nor to a page. */
  takeStray(request: IncomingMessage, response: ServerResponse): void;
  /** Refuses valid HTTP that is no usable request (no Host, broken URL). The rate limit counts it. */
  takeUnreadable(request: IncomingMessage, response: ServerResponse, problem: Problem): void;
}

export function createDispatch(context: ServerContext): Dispatch {
  const find = buildRouter(context.services.registry.endpoints);
  const open = (
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    path: string,
    match?: Match,
  ): ApiRequest => new ApiRequest(context, request, response, exchangeOf(request, url, path, match));
  const openStray = (request: IncomingMessage, response: ServerResponse): ApiRequest => {
    const url = originForm(request.url ?? '/');
    return open(request, response, url, url.slice(0, endOfPath(url)));
  };
  return {
    take(request, response) {
      const url = originForm(request.url ?? '/');
      const path = url.slice(0, endOfPath(url));
      const match = find(path);
      if (match === undefined) return false;
      open(request, response, url, path, match).receive();
      return true;
    },
    takeFrom(request, response, url, identify) {
      const path = url.slice(0, endOfPath(url));
      open(request, response, url, path, find(path)).receiveFrom(identify);
    },
    takeStray: (request, response) => openStray(request, response).receive(),
    takeUnreadable: (request, response, problem) => void openStray(request, response).refuse(problem),
  };
}
