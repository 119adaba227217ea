import type { IncomingMessage } from 'node:http';
import type { Address } from '../../kernel/net/address.ts';
import { clientAddress, isTrustedProxy, type TrustedProxies } from '../../kernel/net/client-address.ts';
import { readHeader } from './read-header.ts';

/** Headers of proxies that need not name the client in X-Forwarded-For. */
const PROXY_HEADERS = ['forwarded', 'x-real-ip', 'via'];

/** The client's address; null if a proxy forwarded the request that is not trusted, or that names no client. */
export function knownClient(request: IncomingMessage, proxies: TrustedProxies): Address | null {
  const peer = request.socket.remoteAddress;
  const forwardedFor = readHeader(request, 'x-forwarded-for');
  const isUnknown =
    forwardedFor === undefined
      ? PROXY_HEADERS.some((name) => readHeader(request, name) !== undefined)
      : !isTrustedProxy(peer, proxies);
  return isUnknown ? null : clientAddress({ peer, forwardedFor }, proxies);
}
