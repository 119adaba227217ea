/** Keys that were never issued, by the published format alone: what anybody outside could send. */
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The reserved key of the documents. */
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
