/**
 * Protects against DNS rebinding: a web page that makes its own name point to this server could otherwise talk to it
 * from the browser of a customer. Requests must name this server, and a browser must come from a page of this server.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Problem } from '../../kernel/problems/problem.ts';

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

const hostnameOf = (url: string): string | undefined => {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
};

/** An address cannot be rebound, so it is always right. */
const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;

function refuse(header: string, baseUrl: string): Problem {
  return new Problem('malformed_request', {
    detail: `The header ${header} names another site than ${baseUrl}.`,
    nextStep: `Call ${baseUrl}/mcp under this name, and not from a web page of another site.`,
  });
}

export function refuseForeignSite(headers: IncomingHttpHeaders, baseUrl: string): void {
  const own = hostnameOf(baseUrl);
  const host = hostnameOf(`http://${headers.host ?? ''}`);
  const isOwn = (name: string | undefined): boolean =>
    name !== undefined && (name === own || LOCAL.has(name));
  if (!isOwn(host) && !(host !== undefined && isAddress(host))) throw refuse('Host', baseUrl);
  const { origin } = headers;
  if (origin !== undefined && !isOwn(hostnameOf(origin))) throw refuse('Origin', baseUrl);
}
