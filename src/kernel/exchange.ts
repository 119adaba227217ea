/** One request on its way through the stages. The HTTP surface fills in the request; each stage adds its findings. */
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
  /** One header by its lower-case name, without parsing the others. Repeated headers are joined by a comma. */
  header(name: string): string | undefined;
  readonly peer: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
}

/** The portal session with which a person makes a call in one account. */
export interface PortalSession {
  readonly id: string;
  readonly accountId: string;
  /** Whether the person has shown lately, with a password or passkey, to be the one who signed in. */
  readonly isFresh: boolean;
  /** When the session ends by itself (Unix milliseconds); each check updates it. */
  endsAt: number;
}

export interface Exchange {
  readonly incoming: Incoming;
  /** Undefined if no route matches. Then the answer is 405 if `allowedMethods` is set, else 404. */
  readonly endpoint: Endpoint | undefined;
  readonly allowedMethods: string | undefined;
  requestId: string;
  client: Client;
  caller: Caller | undefined;
  /** Set for a person who calls through the portal, instead of an API key. */
  session: PortalSession | undefined;
  /** True once key, secret and address were accepted. From then on, refused writes get an audit entry. */
  authenticated: boolean;
  readonly headers: Record<string, string>;
}

/**
 * A stage returns the problem it refuses with. It does not throw it, because under attack refusals come in large
 * numbers and throwing costs more than all the checks. It returns a promise only if it has to wait, which most requests
 * do not need.
 */
export type Stage = (exchange: Exchange, services: Services) => Refused | Promise<Refused>;

/** For stages that run after the key stage. */
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
