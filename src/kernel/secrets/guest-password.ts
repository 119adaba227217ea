/**
 * Passwords for users inside machines. They are hashed like crypt(3) with the prefix `$6$`, which /etc/shadow and
 * cloud-init accept. Node has no function for it, so this implements Drepper's published algorithm ("Unix crypt using
 * SHA-256 and SHA-512").
 */
import { hash, randomInt } from 'node:crypto';
import { digestOf } from './sha512-crypt.ts';
import { digestInThread } from './sha512-crypt-thread.ts';

/** Excludes characters that look alike, because people copy passwords from a console. */
const UNAMBIGUOUS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_LENGTH = 24;

/** The alphabet of crypt(3): like base64, but in a different order and with the lowest bits first. */
const CRYPT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SALT_LENGTH = 16;
const DEFAULT_ROUNDS = 5000;
/**
 * The minimum that crypt(3) accepts. More rounds only protect passwords that can be guessed. A password of 24 random
 * characters cannot be, and each thousand rounds takes some milliseconds of processor time.
 */
const FEWEST_ROUNDS = 1000;
const DIGEST_LENGTH = 64;

const pick = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

function encode(bits: number, characters: number): string {
  let text = '';
  for (let left = bits, count = 0; count < characters; count += 1, left >>= 6)
    text += CRYPT_ALPHABET.charAt(left & 63);
  return text;
}

/** Encodes groups of three bytes, one from each third of the digest. The order of the thirds rotates per group. */
function encodeDigest(digest: Buffer): string {
  const third = 21;
  let text = '';
  let places: readonly [number, number, number] = [0, third, 2 * third];
  for (let group = 0; group < third; group += 1) {
    const [high, middle, low] = places;
    text += encode(
      (digest.readUInt8(high) << 16) | (digest.readUInt8(middle) << 8) | digest.readUInt8(low),
      4,
    );
    places = [middle + 1, low + 1, high + 1];
  }
  return text + encode(digest.readUInt8(DIGEST_LENGTH - 1), 2);
}

function formatHash(digest: Buffer, salt: string, rounds: number): string {
  const told = rounds === DEFAULT_ROUNDS ? '' : `rounds=${rounds}$`;
  return `$6$${told}${salt}$${encodeDigest(digest)}`;
}

const newSalt = (): string => pick(CRYPT_ALPHABET, SALT_LENGTH);

/** A salt that is too long is cut, as crypt(3) does. */
export function hashGuestPassword(password: string, salt = newSalt(), rounds = DEFAULT_ROUNDS): string {
  const used = salt.slice(0, SALT_LENGTH);
  return formatHash(digestOf(hash, Buffer.from(password), Buffer.from(used), rounds), used, rounds);
}

export const newGuestPassword = (): string => pick(UNAMBIGUOUS, PASSWORD_LENGTH);

/** Hashes in a thread of its own, so that other requests go on meanwhile. */
export async function makeGuestPassword(): Promise<{ password: string; hash: string }> {
  const [password, salt] = [newGuestPassword(), newSalt()];
  const digest = await digestInThread({ password, salt, rounds: FEWEST_ROUNDS });
  return { password, hash: formatHash(digest, salt, FEWEST_ROUNDS) };
}
