/** Paths as the records write them, and as requests do. */
import type { Endpoint } from '../../kernel/record.ts';

export const offeredBy = (endpoints: readonly Endpoint[]): string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** Which methods a path has, for requests that no route took. */
export function offersByPath(endpoints: readonly Endpoint[]): (url: string) => string | undefined {
  const known = [...groupByPath(endpoints)].map(([path, records]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`),
    allowed: offeredBy(records).join(', '),
  }));
  return (url) => known.find(({ pattern }) => pattern.test(url))?.allowed;
}

export function groupByPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints)
    groups.set(endpoint.path, [...(groups.get(endpoint.path) ?? []), endpoint]);
  return groups;
}

/** Proxies may send the whole URI in the request line (RFC 9112, 3.2.2); only its path and query matter. */
export function originForm(url: string): string {
  const whole = /^https?:\/\/[^/?#]*/i.exec(url);
  if (whole === null) return url;
  const rest = url.slice(whole[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
