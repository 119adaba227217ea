/**
 * The ids of reverse records are made of their addresses: 128 bits, IPv4 as `::ffff:a.b.c.d`, in the base32 of TypeIDs.
 * So every address has an id, also one that nobody has named yet.
 */
import { type Address, addressFromWords, parseAddress } from '../../../kernel/net/address.ts';

export const PREFIX = 'rdns';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;
const FORM = new RegExp(`^${PREFIX}_[0-7][${LETTERS}]{${LENGTH - 1}}$`);
const WORD = 0xffffffffn;

export function recordIdOf({ w0, w1, w2, w3 }: Address): string {
  let rest = [w0, w1, w2, w3].reduce((sum, word) => (sum << 32n) | BigInt(word >>> 0), 0n);
  let letters = '';
  for (let i = 0; i < LENGTH; i++) {
    letters = LETTERS.charAt(Number(rest & 31n)) + letters;
    rest >>= 5n;
  }
  return `${PREFIX}_${letters}`;
}

function addressOfId(id: string): Address {
  const value = [...id.slice(PREFIX.length + 1)].reduce(
    (sum, letter) => (sum << 5n) | BigInt(LETTERS.indexOf(letter)),
    0n,
  );
  const word = (place: bigint): number => Number((value >> (place * 32n)) & WORD) | 0;
  return addressFromWords(word(3n), word(2n), word(1n), word(0n));
}

/** The address that an id or a literal address names; null if it is neither. */
export const addressNamed = (text: string): Address | null =>
  FORM.test(text) ? addressOfId(text) : parseAddress(text);
