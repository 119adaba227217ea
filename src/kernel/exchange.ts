/** One request on its way through the stages. The HTTP surface fills in what came; the stages add what they learn. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from './access/caller.ts';
import type { Client } from './client.ts';
import type { Refused } from './problems/problem.ts';
import type { Endpoint } from './record.ts';
import type { Services } from './services.ts';

export interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** One of them, without the others being made ready; repeated ones joined by a comma. The name in small letters. */
  header(name: string): string | undefined;
  readonly peer: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
}

export interface Exchange {
  readonly incoming: Incoming;
  /** Undefined where nothing is routed: then `allowedMethods` tells 405 from 404. */
  readonly endpoint: Endpoint | undefined;
  readonly allowedMethods: string | undefined;
  requestId: string;
  client: Client;
  caller: Caller | undefined;
  /** The key, its secret and its address were right: from here on a refused write is worth an audit entry. */
  authenticated: boolean;
  readonly headers: Record<string, string>;
}

/**
 * Returns the problem it refuses with: refusals come in floods, and to throw one costs more than all the checks before
 * it. Returns a promise only where it has to wait: most requests pass without one. `runStages` heeds what they return.
 */
export type Stage = (exchange: Exchange, services: Services) => Refused | Promise<Refused>;

/** For stages behind those that set them. */
export function callerOf(exchange: Exchange): Caller {
  if (exchange.caller === undefined)
    throw new Error('A stage that needs the caller ran before the key stage.');
  return exchange.caller;
}

export function endpointOf(exchange: Exchange): Endpoint {
  if (exchange.endpoint === undefined)
    throw new Error('A stage that needs the endpoint ran before the route stage.');
  return exchange.endpoint;
}

export function isDryRun(exchange: Exchange): boolean {
  return exchange.incoming.query['dry_run'] === 'true';
}
