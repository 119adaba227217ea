import type { Address } from '../net/address.ts';
import { cidrContains, parseCidr } from '../net/cidr.ts';
import type { AccountAccess, AllowlistEntry } from './caller.ts';

export interface AddressVerdict {
  /** The result in the mode Enforce, regardless of the current mode. */
  readonly wouldAllow: boolean;
  readonly matchedEntryId: string | null;
}

const isLive = (entry: AllowlistEntry, now: number): boolean =>
  entry.expiresAt === null || entry.expiresAt > now;

function contains({ cidr }: AllowlistEntry, address: Address): boolean {
  const parsed = parseCidr(cidr);
  return parsed !== null && cidrContains(parsed.cidr, address);
}

/** When the last entry that admits the address expires (Unix milliseconds); infinity if that never happens. */
export function addressEndsAt({ allowlist }: AccountAccess, address: Address): number {
  const { mode, trie, entries } = allowlist;
  if (mode !== 'enforce' || trie.match(address)?.expiresAt === null) return Number.POSITIVE_INFINITY;
  const ends = entries.filter((entry) => contains(entry, address)).map(({ expiresAt }) => expiresAt);
  return Math.max(...ends.map((at) => at ?? Number.POSITIVE_INFINITY));
}

export function judgeAddress(account: AccountAccess, address: Address, now: number): AddressVerdict {
  const { trie, entries } = account.allowlist;
  const longest = trie.match(address);
  if (longest === undefined) return { wouldAllow: false, matchedEntryId: null };
  if (isLive(longest, now)) return { wouldAllow: true, matchedEntryId: longest.id };
  // The narrowest range has just expired, but a wider one may still contain the address.
  const other = entries.find((entry) => isLive(entry, now) && contains(entry, address));
  return { wouldAllow: other !== undefined, matchedEntryId: other?.id ?? null };
}
