/** What follows from the block of an address: what the guest configures, and how long the prefix is. */
import { addressFromWords, parseAddress } from '../../kernel/net/address.ts';
import { parseCidr } from '../../kernel/net/cidr.ts';
import type { AddressPool } from '../../provider/catalogue.ts';
import { SINGLE } from './pool.ts';
import { isIpv6, lengthOf } from './resource.ts';
import type { PublicAddressRow } from './table.ts';

const ipv4Text = (word: number): string => addressFromWords(0, 0, 0xffff, word | 0).text;

/** The address itself, or the first usable one of a prefix or subnet. */
function firstUsable(block: string): string {
  const [base = '', length] = block.split('/');
  const parsed = parseAddress(base);
  if (parsed === null || length === '32') return base;
  const { w0, w1, w2, w3 } = parsed;
  return addressFromWords(w0, w1, w2, (w3 + 1) | 0).text;
}

/** Only a single IPv4 address has a gateway: everything larger is routed. */
function gatewayOf(row: Pick<PublicAddressRow, 'block' | 'pool'>, pools: readonly AddressPool[]) {
  const pool = pools.find(({ slug }) => slug === row.pool);
  const range = pool && parseCidr(pool.cidr)?.cidr;
  if (range === undefined || isIpv6(row) || lengthOf(row) !== SINGLE[4])
    return { gateway: null, netmask: null };
  return {
    gateway: ipv4Text(range.base.w3 + 1),
    netmask: ipv4Text(-(2 ** (32 - range.prefix))),
  };
}

export const cidrFacts = (row: Pick<PublicAddressRow, 'block' | 'pool'>, pools: readonly AddressPool[]) => ({
  cidr: row.block,
  address: firstUsable(row.block),
  prefix_length: lengthOf(row),
  ...gatewayOf(row, pools),
});
