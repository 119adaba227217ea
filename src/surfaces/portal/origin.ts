/**
 * Refuses requests that another site makes a browser send. Pages of customers may live under the provider's domain, so
 * SameSite cookies prove nothing: the Origin must be exactly that of the portal.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { readHeader } from '../http/read-header.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The origin of the portal's pages. Without a configured address, only names of this machine are accepted: any other
 * name in the header Host could belong to an attacker's site that points to this machine.
 */
export function portalOrigin(services: Pick<Services, 'provider'>, request: IncomingMessage): string {
  const origin = findOrigin(services, request);
  if (origin !== undefined) return origin;
  throw new Problem('origin_not_allowed', {
    detail: 'The portal has no configured address, so it answers only at localhost.',
    nextStep: 'Ask your provider to set portal.base_url or server.base_url.',
  });
}

function findOrigin({ provider }: Pick<Services, 'provider'>, request: IncomingMessage): string | undefined {
  const { portal, server } = provider;
  const configured = portal.base_url ?? server.base_url;
  if (configured !== null) return new URL(configured).origin;
  const address = `${server.tls === null ? 'http' : 'https'}://${readHeader(request, 'host') ?? ''}`;
  if (!URL.canParse(address)) return undefined;
  const { origin, hostname } = new URL(address);
  return LOOPBACK.includes(hostname) ? origin : undefined;
}

/** The address of the API in what a page shows: without a configured one, the API is where the page is. */
export const apiAddress = (
  services: Pick<Services, 'provider' | 'baseUrl'>,
  request: IncomingMessage,
): string => services.provider.server.base_url ?? findOrigin(services, request) ?? services.baseUrl;

/** `none`: typed into the address bar. Old browsers do not send the header. */
const OWN_SITES = ['same-origin', 'none'];

export function requireOwnOrigin(request: IncomingMessage, origin: string): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = readHeader(request, 'sec-fetch-site');
  const isOwn = isRead || readHeader(request, 'origin') === origin;
  if (!isOwn || (site !== undefined && !OWN_SITES.includes(site))) throw new Problem('origin_not_allowed');
}
