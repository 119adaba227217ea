/**
 * The client's address for the rate limit, the allowlist, the audit and the denials. Only the peer of the socket cannot
 * be forged. So X-Forwarded-For is read from the right, and only as far as each hop is one of our trusted proxies.
 */
import { type Address, addressFromWords, parseAddress } from './address.ts';
import { type Cidr, parseCidr } from './cidr.ts';
import { buildPrefixTrie, type PrefixTrie } from './prefix-trie.ts';

declare module '../services.ts' {
  interface Services {
    readonly trustedProxies: TrustedProxies;
  }
}

export interface TrustedProxies {
  readonly ranges: readonly Cidr[];
  readonly trie: PrefixTrie<true>;
}

const WIDEST = 8;

/** Throws if a range is invalid, or so wide that it would trust other people's machines. */
export function trustProxies(ranges: readonly string[]): TrustedProxies {
  const cidrs = ranges.map(readProxyRange);
  return { ranges: cidrs, trie: buildPrefixTrie(cidrs.map((cidr) => [cidr, true] as const)) };
}

function readProxyRange(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === null) {
    throw new Error(
      `Trusted proxy "${text}" is not an address range. Write an address or a range such as 10.0.0.5 or 10.0.0.0/24.`,
    );
  }
  if (parsed.cidr.prefix < WIDEST) {
    throw new Error(
      `Trusted proxy range "${text}" is wider than /${WIDEST}: clients in it could name any address as theirs. List only the addresses of your proxies.`,
    );
  }
  if (!parsed.exact) {
    throw new Error(
      `Trusted proxy range "${text}" has bits set beyond its prefix. Write "${parsed.cidr.text}" if you mean the whole range.`,
    );
  }
  return parsed.cidr;
}

/**
 * A client without a known address counts as `0.0.0.0`: the socket is already closed or not an IP socket, or a trusted
 * proxy names the client in a way that we cannot read. Such clients share one rate limit, and no allowlist contains them.
 */
const nowhere = addressFromWords(0, 0, 0xffff, 0);

export function clientAddress(
  source: { readonly peer: string | undefined; readonly forwardedFor: string | undefined },
  proxies: TrustedProxies,
): Address {
  const peer = readPeer(source.peer);
  const header = source.forwardedFor;
  if (
    header === undefined ||
    header.trim() === '' ||
    proxies.ranges.length === 0 ||
    !isTrusted(peer, proxies)
  )
    return peer;
  let client = peer;
  let end = header.length;
  while (end >= 0) {
    const comma = header.lastIndexOf(',', end - 1);
    const hop = readHop(header.slice(comma + 1, end).trim());
    // The proxy says that the request is somebody else's, so it must not count as a request of the proxy.
    if (hop === null) return nowhere;
    client = hop;
    if (!isTrusted(hop, proxies)) return client;
    end = comma;
  }
  // All hops are trusted proxies, so the outermost one made the request itself.
  return client;
}

/** Some proxies append the port of the client: `203.0.113.7:4711` or `[2001:db8::7]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

function readHop(text: string): Address | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  return parseAddress(ipv6 ?? ipv4 ?? text);
}

export function isTrustedProxy(peer: string | undefined, proxies: TrustedProxies): boolean {
  return isTrusted(readPeer(peer), proxies);
}

function isTrusted(address: Address, proxies: TrustedProxies): boolean {
  return proxies.trie.match(address) === true;
}

/** The operating system appends a zone to link-local peers. It names our network interface, so it is removed. */
function readPeer(peer: string | undefined): Address {
  if (peer === undefined) return nowhere;
  const zone = peer.indexOf('%');
  return parseAddress(zone < 0 ? peer : peer.slice(0, zone)) ?? nowhere;
}

/** An IPv6 client owns a whole /64 (or more) and could use a new address for each request, so the /64 is counted. */
export function rateLimitKey(address: Address, ipv6Prefix: 64 | 56 = 64): string {
  if (address.family === 4) return address.text;
  const low = ipv6Prefix === 56 ? address.w1 & 0xffffff00 : address.w1;
  return `${addressFromWords(address.w0, low, 0, 0).text}/${ipv6Prefix}`;
}
