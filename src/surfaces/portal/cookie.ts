/**
 * The cookie that holds the token of a session. The prefix `__Host-` makes browsers refuse a cookie that another host
 * of the same domain sets. On plain HTTP, which is allowed for localhost, there is no such cookie.
 */
import type { IncomingMessage } from 'node:http';
import { readHeader } from '../http/read-header.ts';

const nameFor = (origin: string): string =>
  origin.startsWith('https:') ? '__Host-hp_session' : 'hp_session';

/** The browser forgets the cookie when it is closed, or after the longest life of a session. */
const LONGEST_SECONDS = 14 * 24 * 3600;

export function readCookie(request: IncomingMessage, origin: string): string | null {
  const name = nameFor(origin);
  for (const part of (readHeader(request, 'cookie') ?? '').split(/[;,]/)) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim() || null;
  }
  return null;
}

/** `token`: null removes the cookie. */
export function writeCookie(origin: string, token: string | null): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const life = token === null ? 0 : LONGEST_SECONDS;
  return `${nameFor(origin)}=${token ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${life}${secure}`;
}
