/** Address ranges. Prefix lengths are those of the range's own family (32 or 128 bits). */
import { type Address, addressFromWords, parseAddress } from './address.ts';

export interface Cidr {
  readonly base: Address;
  readonly prefix: number;
  /** Canonical, with its prefix: `192.0.2.1/32`. */
  readonly text: string;
}

/** The range around an address; `exact` is false when the address has bits set beyond the prefix. */
export function parseCidr(text: string): { cidr: Cidr; exact: boolean } | null {
  const slash = text.indexOf('/');
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === null) return null;
  const bits = address.family === 4 ? 32 : 128;
  if (slash < 0) return { cidr: cidrOf(address, bits), exact: true };
  const length = parsePrefix(text.slice(slash + 1));
  if (length === null) return null;
  const mapped = address.family === 4 && text.lastIndexOf(':', slash) >= 0;
  const prefix = mapped ? length - 96 : length;
  if (prefix < 0 || prefix > bits) return null;
  const cidr = cidrOf(address, prefix);
  return { cidr, exact: cidr.base.text === address.text };
}

export function cidrContains(range: Cidr, address: Address): boolean {
  return range.base.family === address.family && sharesPrefix(range.base, address, prefix128(range));
}

export function cidrCovers(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && cidrContains(outer, inner.base);
}

/** The prefix length counted in the 128-bit form. */
export function prefix128(range: Cidr): number {
  return range.base.family === 4 ? range.prefix + 96 : range.prefix;
}

/** Whether the first `length` of 128 bits are equal. */
export function sharesPrefix(a: Address, b: Address, length: number): boolean {
  if (length <= 32) return ((a.w0 ^ b.w0) & mask(length)) === 0;
  if (a.w0 !== b.w0) return false;
  if (length <= 64) return ((a.w1 ^ b.w1) & mask(length - 32)) === 0;
  if (a.w1 !== b.w1) return false;
  if (length <= 96) return ((a.w2 ^ b.w2) & mask(length - 64)) === 0;
  return a.w2 === b.w2 && ((a.w3 ^ b.w3) & mask(length - 96)) === 0;
}

function cidrOf(address: Address, prefix: number): Cidr {
  const length = address.family === 4 ? prefix + 96 : prefix;
  const { w0, w1, w2, w3 } = address;
  const base = addressFromWords(
    w0 & mask(length),
    w1 & mask(length - 32),
    w2 & mask(length - 64),
    w3 & mask(length - 96),
  );
  return { base, prefix, text: `${base.text}/${prefix}` };
}

/** A word whose first `bits` bits are set. JavaScript shifts modulo 32, so 0 and 32 are handled separately. */
function mask(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : -1 << (32 - bits);
}

function parsePrefix(text: string): number | null {
  return /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}
