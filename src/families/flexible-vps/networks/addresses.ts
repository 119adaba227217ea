/**
 * Calculates with the addresses of private networks. Ranges and addresses are texts, as in the tables. IPv4 and IPv6
 * follow the same rule: the first address is the gateway, the last two are reserved.
 */
import { createHash } from 'node:crypto';
import { type Address, addressFromWords, parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, cidrContains, cidrCovers, parseCidr as parseLenient } from '../../../kernel/net/cidr.ts';

const GATEWAY = 1n;
/** The number of reserved addresses at the end of a range. */
const KEPT_BACK = 2n;

/** Returns null unless the text is a range with a prefix length and without host bits. */
export function parseCidr(text: string): Cidr | null {
  const parsed = text.includes('/') ? parseLenient(text) : null;
  return parsed?.exact ? parsed.cidr : null;
}

function rangeOf(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new RangeError(`${text} is not a range of addresses.`);
  return cidr;
}

const bitsOf = ({ base }: Cidr): number => (base.family === 4 ? 32 : 128);

function numberOf({ w0, w1, w2, w3 }: Address): bigint {
  return [w0, w1, w2, w3].reduce((value, word) => (value << 32n) | BigInt(word >>> 0), 0n);
}

function addressOf(value: bigint): Address {
  const word = (shift: bigint): number => Number(BigInt.asIntN(32, value >> shift));
  return addressFromWords(word(96n), word(64n), word(32n), word(0n));
}

/** The number of addresses in the range, including those that machines cannot use. */
export function sizeOf(cidr: string): bigint {
  const range = rangeOf(cidr);
  return 1n << BigInt(bitsOf(range) - range.prefix);
}

/** The number of addresses that machines can use. */
export const usableIn = (cidr: string): bigint => sizeOf(cidr) - GATEWAY - 1n - KEPT_BACK;

/** The address at this index; index 0 is the network address. */
export function addressAt(cidr: string, index: number | bigint): string {
  const place = BigInt(index);
  if (place < 0n || place >= sizeOf(cidr)) throw new RangeError(`${cidr} has no address ${place}.`);
  return addressOf(numberOf(rangeOf(cidr).base) + place).text;
}

export const gatewayOf = (cidr: string): string => addressAt(cidr, GATEWAY);

/** The lowest and the highest address that a machine can use. */
export const usableRange = (cidr: string): { readonly first: string; readonly last: string } => ({
  first: addressAt(cidr, GATEWAY + 1n),
  last: addressAt(cidr, sizeOf(cidr) - 1n - KEPT_BACK),
});

export function contains(cidr: string, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && cidrContains(rangeOf(cidr), parsed);
}

export function overlaps(one: string, other: string): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  return cidrCovers(a, b) || cidrCovers(b, a);
}

/** The inverse of `addressAt`; null if the address is not in the range. */
export function indexOf(cidr: string, address: string): bigint | null {
  const parsed = parseAddress(address);
  const range = rangeOf(cidr);
  if (parsed === null || !cidrContains(range, parsed)) return null;
  return numberOf(parsed) - numberOf(range.base);
}

/** Whether a machine can use the address. */
export function isUsable(cidr: string, address: string): boolean {
  const place = indexOf(cidr, address);
  if (place === null) return false;
  return place > GATEWAY && place < sizeOf(cidr) - KEPT_BACK;
}

/**
 * A /64 of unique local addresses (RFC 4193). The 40 bits of the global ID are derived from the account id, so all
 * networks of an account are in one /48.
 */
export function localPrefix(accountId: string, subnet: number): string {
  const site = createHash('sha256').update(accountId).digest().subarray(0, 5);
  const groups = Buffer.from([0xfd, ...site, (subnet >> 8) & 255, subnet & 255]);
  const [a, b, c, d] = [0, 2, 4, 6].map((at) => groups.readUInt16BE(at).toString(16));
  return rangeOf(`${a}:${b}:${c}:${d}::/64`).text;
}
