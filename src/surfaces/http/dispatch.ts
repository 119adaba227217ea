/** Takes the requests whose path a record has, straight from node:http: a flood meets our checks and nothing before them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../kernel/problems/problem.ts';
import { type House, Visit } from './api-request.ts';
import { exchangeOf } from './exchange.ts';
import { endOfPath, originForm } from './request-target.ts';
import { buildRouter, type Match } from './router.ts';

export interface Dispatch {
  /** False for paths that no record has: those are left as they are. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** The answer for what nobody took. */
  takeStray(request: IncomingMessage, response: ServerResponse): void;
  /** What is HTTP and yet no request to anything: counted, and refused for the reason given. */
  takeUnreadable(request: IncomingMessage, response: ServerResponse, detail: string): void;
}

export function createDispatch(house: House): Dispatch {
  const find = buildRouter(house.services.registry.endpoints);
  const open = (
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    path: string,
    match?: Match,
  ): Visit => new Visit(house, request, response, exchangeOf(request, url, path, match));
  const openStray = (request: IncomingMessage, response: ServerResponse): Visit => {
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
    takeStray: (request, response) => openStray(request, response).receive(),
    takeUnreadable: (request, response, detail) =>
      void openStray(request, response).refuse(new Problem('malformed_request', { detail })),
  };
}
