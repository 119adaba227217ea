/** Which zones of the server hold the provider's address pools, and which are missing. */
import { addressFromWords } from '../../kernel/net/address.ts';
import { type Cidr, cidrCovers, parseCidr } from '../../kernel/net/cidr.ts';
import type { Zone, Zones } from './powerdns/zones.ts';
import { zoneNameOf } from './reverse-name.ts';

interface Coverage {
  readonly zones: readonly Zone[];
  /** The names of zones that would hold the rest. */
  readonly missing: readonly string[];
}

/** The greatest range of IPv4 for which a zone is expected. */
const IPV4_ZONE = 24;

/** An IPv4 pool in pieces of a /24; IPv6 pools have one zone, at the boundary of what the provider was assigned. */
function piecesOf(pool: Cidr): Cidr[] {
  if (pool.base.family === 6 || pool.prefix >= IPV4_ZONE) return [pool];
  return Array.from({ length: 2 ** (IPV4_ZONE - pool.prefix) }, (_, n) => {
    const { text } = addressFromWords(0, 0, 0xffff, (pool.base.w3 + n * 2 ** (32 - IPV4_ZONE)) | 0);
    return parseCidr(`${text}/${IPV4_ZONE}`)!.cidr;
  });
}

export async function coverageOf(zones: Zones, pools: readonly string[]): Promise<Coverage> {
  const found = new Map<string, Zone>();
  const missing = new Set<string>();
  for (const text of pools) {
    const pool = parseCidr(text)?.cidr;
    if (pool === undefined) continue;
    const within = await zones.within(pool, undefined);
    for (const zone of within) found.set(zone.name, zone);
    for (const piece of within.some(({ range }) => cidrCovers(range, pool)) ? [] : piecesOf(pool))
      if (!within.some(({ range }) => cidrCovers(range, piece))) missing.add(zoneNameOf(piece));
  }
  return { zones: [...found.values()], missing: [...missing] };
}
