import { filled } from '../data/nouns.ts';
import type { PersonCall } from '../data/product.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call as somebody would make it with an API key. */
export function curlFor(base: string, { call, path, query = {}, body, etag }: PersonCall): string {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const url = `${base}${filled(call.path, path)}${asked === '' ? '' : `?${asked}`}`;
  return [
    `curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(url)}`,
    '  -H "X-API-Key: $HOSTPLANE_API_KEY"',
    ...(etag === undefined ? [] : [`  -H ${quoted(`If-Match: "${etag}"`)}`]),
    ...(body === undefined
      ? []
      : ['  -H "Content-Type: application/json"', `  -d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n');
}
