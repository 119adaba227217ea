/**
 * Address ranges. `parseCidr` reads ranges that an operator configures. `checkCidr` reads ranges for an account's
 * allowlist, where a mistake (host bits, a very wide range) would silently allow more than intended. Prefix lengths are
 * those of the range's own family (32 or 128 bits).
 */
import { type Address, addressFromWords, parseAddress } from './address.ts';

export interface Cidr {
  readonly base: Address;
  readonly prefix: number;
  /** Canonical, with its prefix: `192.0.2.1/32`. */
  readonly text: string;
}

export type CidrCheck =
  | { readonly ok: true; readonly cidr: Cidr; readonly hint: string | null }
  | { readonly ok: false; readonly code: 'invalid_format'; readonly detail: string }
  | { readonly ok: false; readonly code: 'cidr_too_broad'; readonly detail: string }
  | {
      readonly ok: false;
      readonly code: 'host_bits_set';
      readonly detail: string;
      readonly corrected: string;
    };

const WIDEST = { 4: 8, 6: 16 } as const;

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

/** Checks a range for an account's allowlist. A range that it returns as `corrected` always passes this check. */
export function checkCidr(text: string): CidrCheck {
  const parsed = parseCidr(text);
  if (parsed === null) {
    const detail =
      'Write an IPv4 or IPv6 address or range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48, without zone id, spaces or leading zeros.';
    return { ok: false, code: 'invalid_format', detail };
  }
  const { base, prefix, text: canonical } = parsed.cidr;
  const widest = WIDEST[base.family];
  if (prefix < widest) {
    const detail = `The widest IPv${base.family} range is /${widest}; to let every address in, set the allowlist to Off.`;
    return { ok: false, code: 'cidr_too_broad', detail };
  }
  if (isMulticast(base) || isUnspecified(base)) {
    const detail = `${canonical} is a multicast or unspecified range: no request can come from it. Write the address your calls come from.`;
    return { ok: false, code: 'invalid_format', detail };
  }
  if (!parsed.exact) {
    const detail = `The address has bits set beyond /${prefix}; write ${canonical} if you mean the whole range.`;
    return { ok: false, code: 'host_bits_set', detail, corrected: canonical };
  }
  const hint =
    base.family === 6 && prefix > 64
      ? 'Privacy addresses change within a /64 every few hours; allow the /64 unless this address is fixed.'
      : null;
  return { ok: true, cidr: parsed.cidr, hint };
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

function isMulticast(base: Address): boolean {
  return base.family === 4 ? base.w3 >>> 28 === 0xe : base.w0 >>> 24 === 0xff;
}

function isUnspecified(base: Address): boolean {
  return base.w3 === 0 && base.w1 === 0 && base.w0 === 0 && (base.family === 4 || base.w2 === 0);
}
