/** Chooses the format of an answer from the `Accept` header and the formats that the endpoint offers. */
import type { Exchange } from '../kernel/exchange.ts';

export const JSON_FORMAT = 'application/json';

/**
 * The answer to a dry run. It has a media type of its own, so that a client generated from the OpenAPI document has one
 * type for the resource and another for the dry run.
 */
export const DRY_RUN_FORMAT = 'application/vnd.hostplane.dry-run+json';

/** The weight (`q`) of a format in an `Accept` header; null if the header does not name the format. */
function shareOf(accept: string, format: string): number | null {
  const part = accept.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === format);
  if (part === undefined) return null;
  const share = /;\s*q\s*=\s*([\d.]+)/i.exec(part)?.[1];
  return share === undefined ? 1 : Number(share);
}

/**
 * Whether the client prefers this format to JSON. The header must name the format or its type (`text/*`). A wildcard
 * for all types does not count, because clients without a preference send it.
 */
export function isPreferred(accept: string, format: string): boolean {
  const share = shareOf(accept, format) ?? shareOf(accept, format.replace(/\/.*/, '/*')) ?? 0;
  return share > 0 && share >= (shareOf(accept, JSON_FORMAT) ?? 0);
}

/** Clients that ask for `application/json` by name, and not for the dry-run type, get the dry run as plain JSON. */
export function dryRunFormatFor({ incoming }: Exchange): string {
  const accept = incoming.headers.accept ?? '*/*';
  const namesJson = (shareOf(accept, JSON_FORMAT) ?? 0) > 0;
  return namesJson && !isPreferred(accept, DRY_RUN_FORMAT) ? JSON_FORMAT : DRY_RUN_FORMAT;
}

/**
 * The endpoint's format that the client prefers; null for JSON. Browsers and command-line programs that take anything
 * say so with a wildcard, and get the format that suits people. A client that says nothing gets JSON.
 */
export function formatFor({ endpoint, incoming }: Exchange): string | null {
  const { accept } = incoming.headers;
  if (endpoint === undefined || accept === undefined) return null;
  if (accept === '*/*') return endpoint.preferredFormat ?? null;
  return Object.keys(endpoint.formats).find((format) => isPreferred(accept, format)) ?? null;
}
