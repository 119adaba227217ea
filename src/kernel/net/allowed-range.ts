/**
 * Reads ranges for an account's allowlist, where a mistake (host bits, a very wide range) would silently allow more than
 * intended.
 */
import { callerRange } from './address-rules.ts';
import { type Cidr, parseCidr } from './cidr.ts';

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
  const senseless = callerRange(parsed.cidr);
  if (senseless !== null) return { ok: false, code: 'invalid_format', detail: senseless.detail };
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
