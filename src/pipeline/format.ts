/** In which of the formats it offers a call is answered. */
import type { Exchange } from '../kernel/exchange.ts';

export const JSON_FORMAT = 'application/json';

/** The share of a format in an `Accept` header; null where it is not named. */
function shareOf(accept: string, format: string): number | null {
  const part = accept.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === format);
  if (part === undefined) return null;
  const share = /;\s*q\s*=\s*([\d.]+)/i.exec(part)?.[1];
  return share === undefined ? 1 : Number(share);
}

/** Only what is named, itself or with its family, is preferred to JSON: `*` is what clients send that do not care. */
export function isPreferred(accept: string, format: string): boolean {
  const share = shareOf(accept, format) ?? shareOf(accept, format.replace(/\/.*/, '/*')) ?? 0;
  return share > 0 && share >= (shareOf(accept, JSON_FORMAT) ?? 0);
}

/** One of the other formats of the record; null for JSON. */
export function formatFor({ endpoint, incoming }: Exchange): string | null {
  const { accept } = incoming.headers;
  if (endpoint === undefined || accept === undefined) return null;
  return Object.keys(endpoint.formats).find((format) => isPreferred(accept, format)) ?? null;
}
