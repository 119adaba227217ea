/** Builds keys that were never issued, from the published key format alone, as an attacker could. */
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The example key of the documentation, which is reserved and never issued. */
export const VECTOR = 'hpk1_EXAMPLEkey00_EXAMPLEONLYdoNOTuse00000000000001bUagA';

function withChecksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < 6; rest = Math.floor(rest / 62)) {
    digits = `${ALPHABET[rest % 62]}${digits}`;
  }
  return text + digits;
}

export function forgeKey(publicId: string, prefix = 'hpk1'): string {
  return withChecksum(`${prefix}_${publicId}_${'Forged0Secret0That0Nobody0Holds0'}`);
}
