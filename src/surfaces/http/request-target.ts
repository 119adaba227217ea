/** Returns path and query. Proxies may send the absolute URI in the request line (RFC 9112, 3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const whole = /^https?:\/\/[^/?#]*/i.exec(url);
  if (whole === null) return url;
  const rest = url.slice(whole[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The index at which the path ends: at the query, the fragment or the end of the URL. */
export function endOfPath(url: string): number {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  const hash = url.indexOf('#');
  return hash < 0 || hash > end ? end : hash;
}
