/** Checks that each address pool is an exact CIDR range and that no two pools overlap. */
import { type Cidr, cidrCovers, parseCidr } from '../../kernel/net/cidr.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';

/**
 * The longest allowed prefix of a pool, by its purpose. IPv6 is allocated as /64 prefixes. IPv4 addresses are allocated singly, without
 * the first two (network and gateway) and the last one (broadcast) of the pool.
 */
const SMALLEST = { single: { 4: 30, 6: 64 }, subnet: { 4: 32, 6: 64 } } as const;

export function checkPools(draft: Draft, report: Report): void {
  const taken: { path: string; range: Cidr }[] = [];
  for (const { path, value } of draft.entries('address_pools')) {
    const at = `${path}/cidr`;
    const parsed = parseCidr(value.cidr);
    if (parsed === null) {
      report(at, `${value.cidr} is not an address range.`, 'Write it as 203.0.113.0/24 or 2001:db8::/40.');
      continue;
    }
    const range = parsed.cidr;
    if (!parsed.exact) {
      report(at, 'The range has bits set beyond its prefix.', `Write ${range.text}.`);
    }
    if (range.prefix > SMALLEST[value.purpose][range.base.family]) {
      const fix = 'Use a /30 or larger for single IPv4 addresses, and a /64 or larger for IPv6.';
      report(at, 'The range is too small to allocate addresses from it.', fix);
    }
    const other = taken.find((each) => cidrCovers(each.range, range) || cidrCovers(range, each.range));
    if (other)
      report(
        at,
        `${range.text} overlaps ${other.range.text} at ${other.path}.`,
        'Give each pool its own range.',
      );
    taken.push({ path, range });
  }
}
