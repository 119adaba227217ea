/** Checks that each address pool is an exact CIDR range and that no two pools overlap. */
import { type Cidr, cidrCovers, parseCidr } from '../../kernel/net/cidr.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';

/** The longest allowed prefix of a pool: IPv4 addresses are allocated singly, IPv6 as /64 prefixes. */
const SMALLEST = { 4: 32, 6: 64 } as const;

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
    if (range.prefix > SMALLEST[range.base.family]) {
      report(at, 'The range is too small to allocate addresses from it.', 'Use a /64 or larger for IPv6.');
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
