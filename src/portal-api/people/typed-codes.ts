/** Codes that people copy by hand. */
import { randomBytes } from 'node:crypto';

/** 32 letters, so each is 5 bits. `i`, `l`, `o` and `1` are left out, because people mix them up. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';

/** Random letters in groups of five. */
export function newCode(letters: number): string {
  const text = [...randomBytes(letters)].map((byte) => ALPHABET[byte & 31]).join('');
  return (text.match(/.{1,5}/g) ?? []).join('-');
}

/** People type codes with spaces, without the hyphens and in capitals. */
export const normaliseCode = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll('o', '0')
    .replaceAll(/[^a-z0-9]/g, '');
