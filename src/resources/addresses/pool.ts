/** Numbers the allocatable blocks of an address pool: single IPv4 addresses, or IPv6 /64 prefixes. */
import { addressFromWords } from '../../kernel/net/address.ts';
import { type Cidr, parseCidr } from '../../kernel/net/cidr.ts';
import type { AddressPool } from '../../provider/catalogue.ts';

export interface Pool {
  readonly slug: string;
  readonly cidr: string;
  /** The number of allocatable blocks. */
  readonly size: number;
  /** The block at an index, counted from 0. */
  at(place: number): string;
}

/** An IPv4 pool reserves its first two addresses (network and gateway) and its last one (broadcast). */
const IPV4_BEFORE = 2;
const IPV4_AFTER = 1;
/** The prefix length of what is allocated one by one. */
export const SINGLE = { 4: 32, 6: 64 } as const;
const IPV6_LENGTH = SINGLE[6];
const WORD = 2 ** 32;

function ipv4({ base, prefix }: Cidr): Pick<Pool, 'size' | 'at'> {
  const first = (base.w3 >>> 0) + IPV4_BEFORE;
  return {
    size: Math.max(0, 2 ** (32 - prefix) - IPV4_BEFORE - IPV4_AFTER),
    at: (place) => `${addressFromWords(0, 0, 0xffff, (first + place) | 0).text}/32`,
  };
}

function ipv6({ base, prefix }: Cidr): Pick<Pool, 'size' | 'at'> {
  return {
    size: 2 ** Math.max(0, IPV6_LENGTH - prefix),
    at(place) {
      const low = (base.w1 >>> 0) + (place % WORD);
      const high = (base.w0 >>> 0) + Math.floor(place / WORD) + Math.floor(low / WORD);
      return `${addressFromWords(high | 0, low | 0, 0, 0).text}/${IPV6_LENGTH}`;
    },
  };
}

/** The pools for single addresses of this location and IP version, in the order of the provider's file. */
export function poolsOf(pools: readonly AddressPool[], location: string, version: 4 | 6): readonly Pool[] {
  return pools.flatMap((pool) => {
    const parsed = pool.purpose === 'single' && pool.location === location ? parseCidr(pool.cidr) : null;
    if (parsed === null || parsed.cidr.base.family !== version) return [];
    const { cidr } = parsed;
    return [{ slug: pool.slug, cidr: cidr.text, ...(version === 4 ? ipv4(cidr) : ipv6(cidr)) }];
  });
}
