/**
 * The kind of an address, decided by the narrowest registered range that contains it. Calls on behalf of a customer may
 * go to `global` addresses only; all others belong to this host, to the provider's network or to no one.
 */
import { type Address, addressFromWords } from './address.ts';
import { parseCidr } from './cidr.ts';
import { buildPrefixTrie } from './prefix-trie.ts';

export type AddressKind =
  | 'global'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link_local'
  | 'carrier_nat'
  | 'multicast'
  | 'metadata'
  | 'reserved';

const ranges: Record<Exclude<AddressKind, 'global'>, readonly string[]> = {
  unspecified: ['0.0.0.0', '::'],
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  link_local: ['169.254.0.0/16', 'fe80::/10'],
  carrier_nat: ['100.64.0.0/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  // Metadata services of large clouds and OpenStack, which give out credentials. 168.63.129.16 only looks public.
  metadata: [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
  ],
  // Only 2000::/3 of IPv6 is allocated. Within it, documentation, benchmark and tunnel (Teredo, 6to4) ranges are not.
  reserved: [
    '0.0.0.0/8',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '::/3',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '4000::/2',
    '8000::/1',
  ],
};

/** All ranges that are not `global`. */
export const specialRanges: readonly string[] = Object.values(ranges).flat();

const kinds = buildPrefixTrie(
  Object.entries(ranges).flatMap(([kind, texts]) =>
    texts.map((text) => [parseCidr(text)!.cidr, kind as AddressKind] as const),
  ),
);

export function kindOf(address: Address): AddressKind {
  return kinds.match(behindNat64(address)) ?? 'global';
}

/** `64:ff9b::/96` (NAT64) leads to the IPv4 address in its last word, so that address is judged instead. */
export function behindNat64(address: Address): Address {
  const { family, w0, w1, w2, w3 } = address;
  const isNat64 = family === 6 && w0 === 0x0064ff9b && w1 === 0 && w2 === 0;
  return isNat64 ? addressFromWords(0, 0, 0xffff, w3) : address;
}
