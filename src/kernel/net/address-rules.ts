/**
 * The rules for addresses that customers choose: which ranges make sense for each purpose. All of them are judged in
 * their canonical form, so another spelling (mapped into IPv6, behind NAT64) passes no check that the plain one fails.
 */
import type { FieldCode } from '../problems/catalogue.ts';
import { type Address, parseAddress } from './address.ts';
import { behindNat64 } from './address-kind.ts';
import { type Cidr, cidrCovers, parseCidr } from './cidr.ts';

export interface AddressFault {
  readonly code: FieldCode;
  readonly detail: string;
}

type RuleResult = AddressFault | null;

const rangeOf = (text: string): Cidr => parseCidr(text)!.cidr;

/** No machine of a customer has such an address as its own, and no router passes packets to it on. */
const unusable = (
  [
    ['0.0.0.0/8', 'this network'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['224.0.0.0/4', 'multicast'],
    ['240.0.0.0/4', 'reserved'],
    // The unspecified address, loopback, and IPv4 addresses in an outdated form.
    ['::/96', 'unspecified or loopback'],
    ['fe80::/10', 'link-local'],
    ['fec0::/10', 'outdated'],
    ['ff00::/8', 'multicast'],
    // Tunnels lead to an IPv4 address that is hidden in the IPv6 address.
    ['2001::/32', 'Teredo'],
    ['2002::/16', '6to4'],
  ] as const
).map(([range, word]) => ({ range: rangeOf(range), word }));

type Word = (typeof unusable)[number]['word'];

export const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const privateRanges = PRIVATE_RANGES.map(rangeOf);
const localRanges = [...privateRanges, rangeOf('fc00::/7')];

const single = (address: Address): Cidr => rangeOf(address.text);
const isDefault = ({ prefix }: Cidr): boolean => prefix === 0;
const fault = (code: FieldCode, detail: string): AddressFault => ({ code, detail });

/** A range of `64:ff9b::/96` stands for the IPv4 addresses in its last word. */
function plain({ base, prefix, text }: Cidr): Cidr {
  const inner = behindNat64(base);
  return inner === base || prefix < 96 ? { base, prefix, text } : rangeOf(`${inner.text}/${prefix - 96}`);
}

function insideUnusable(range: Cidr, allowed: readonly Word[] = []): Word | undefined {
  const found = unusable.find(({ range: outer }) => cidrCovers(outer, range))?.word;
  return found !== undefined && allowed.includes(found) ? undefined : found;
}

function touchingUnusable(range: Cidr): string | undefined {
  const found = unusable.find(({ range: other }) => cidrCovers(other, range) || cidrCovers(range, other));
  return found && `${found.range.text} (${found.word})`;
}

const oneAddress = fault(
  'invalid_format',
  'Write one IPv4 or IPv6 address, without prefix, zone id, port or leading zeros.',
);

export function privateAddress(text: string): RuleResult {
  const address = parseAddress(text);
  if (address === null) return oneAddress;
  if (localRanges.some((range) => cidrCovers(range, single(address)))) return null;
  return fault('out_of_range', `${text} is in no private network. Write an address inside the network.`);
}

export function dnsServer(text: string): RuleResult {
  const address = parseAddress(text);
  if (address === null) return oneAddress;
  const word = insideUnusable(plain(single(address)));
  if (word === undefined) return null;
  return fault(
    'out_of_range',
    `${text} is ${word}. Write the address of a DNS server that machines can reach.`,
  );
}

/** The range of a private network or of a tunnel: IPv4, with a prefix length between these. */
export const privateRange =
  (widest: number, narrowest: number) =>
  (text: string): RuleResult => {
    const isPlain = text.includes('/') && !text.includes(':');
    const parsed = isPlain ? parseCidr(text) : null;
    if (parsed === null) return fault('invalid_format', 'Write an IPv4 range such as 10.10.0.0/24.');
    const { cidr } = parsed;
    if (!parsed.exact) return hostBits(cidr);
    if (cidr.prefix < widest || cidr.prefix > narrowest)
      return fault('out_of_range', `From /${widest} to /${narrowest}.`);
    // Each of these is wider than the widest range, so a range that begins in one also ends in it.
    if (privateRanges.some((range) => cidrCovers(range, cidr))) return null;
    return fault('out_of_range', `Must lie inside one of ${PRIVATE_RANGES.join(', ')}.`);
  };

const hostBits = ({ prefix, text }: Cidr): AddressFault =>
  fault(
    'invalid_format',
    `The address has bits set beyond /${prefix}; write ${text} if you mean the whole range.`,
  );

/** A range that packets are routed to. With `orAll`, it may also be everything: `0.0.0.0/0` or `::/0`. */
export const routedRange =
  ({ orAll }: { readonly orAll: boolean }) =>
  (text: string): RuleResult => {
    const parsed = text.includes('/') ? parseCidr(text) : null;
    if (parsed === null) return fault('invalid_format', 'Write a range such as 192.168.50.0/24.');
    if (!parsed.exact) return hostBits(parsed.cidr);
    const range = plain(parsed.cidr);
    if (isDefault(range))
      return orAll ? null : fault('out_of_range', 'Name the subnets; the whole internet is not one.');
    const touched = touchingUnusable(range);
    if (touched === undefined) return null;
    return fault(
      'out_of_range',
      `${text} has addresses of ${touched}, which are never routed. Name ranges without them.`,
    );
  };

/**
 * The other side in a firewall. Multicast, broadcast and link-local addresses do reach a machine, and everything
 * (`0.0.0.0/0`) is a common rule. Bits beyond the prefix are removed later, with a warning.
 */
export function firewallRange(text: string): RuleResult {
  const parsed = parseCidr(text);
  if (parsed === null)
    return fault('invalid_format', 'Write an IPv4 or IPv6 range such as 203.0.113.0/24, without zone id.');
  const word = insideUnusable(plain(parsed.cidr), ['link-local', 'multicast', 'reserved', 'Teredo', '6to4']);
  if (word === undefined || isDefault(parsed.cidr)) return null;
  return fault('out_of_range', `No packet of another machine has an address of ${text} (${word}).`);
}

/** Where calls to the API come from. Loopback and link-local callers exist in private installations. */
export function callerRange(range: Cidr): RuleResult {
  const word = insideUnusable(plain(single(range.base)), ['loopback', 'link-local', 'Teredo', '6to4']);
  const isLoopback = range.base.text === '::1';
  if (word === undefined || isLoopback) return null;
  return fault(
    'invalid_format',
    `${range.text} is a multicast, reserved or unspecified range: no request can come from it. Write the address your calls come from.`,
  );
}

/** A name that ends in a number is read as an IPv4 address by most programs, also in forms such as 127.1 or 0x7f.1. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;

export const isNumeric = (host: string): boolean => ENDS_IN_NUMBER.test(host);

export function hostName(text: string): RuleResult {
  if (!isNumeric(text)) return null;
  return fault('invalid_format', 'The last part of a host name needs a letter; this is read as an address.');
}

export const noRule = (): RuleResult => null;
