/**
 * Passwords for users inside machines. They are hashed like crypt(3) with the prefix `$6$`, which /etc/shadow and
 * cloud-init accept. Node has no function for it, so this implements Drepper's published algorithm ("Unix crypt using
 * SHA-256 and SHA-512").
 */
import { createHash, hash, randomInt } from 'node:crypto';

/** Excludes characters that look alike, because people copy passwords from a console. */
const UNAMBIGUOUS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_LENGTH = 24;

/** The alphabet of crypt(3): like base64, but in a different order and with the lowest bits first. */
const CRYPT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SALT_LENGTH = 16;
const DEFAULT_ROUNDS = 5000;
/**
 * The minimum that crypt(3) accepts. More rounds only protect passwords that can be guessed. A password of 24 random
 * characters cannot be, and each thousand rounds blocks the event loop for some milliseconds.
 */
const FEWEST_ROUNDS = 1000;
const DIGEST_LENGTH = 64;

const pick = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

const sha512 = (...parts: readonly Buffer[]): Buffer => {
  const made = createHash('sha512');
  for (const part of parts) made.update(part);
  return made.digest();
};

/** Repeats the block up to the length. */
const stretch = (block: Buffer, length: number): Buffer => Buffer.alloc(length, block);

function digestOf(password: Buffer, salt: Buffer, rounds: number): Buffer {
  const alternate = sha512(password, salt, password);
  const start: Buffer[] = [password, salt, stretch(alternate, password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1) start.push(bits & 1 ? alternate : password);
  const digest = sha512(...start);

  const p = stretch(sha512(...Array<Buffer>(password.length).fill(password)), password.length);
  const repeats = 16 + digest.readUInt8(0);
  const s = stretch(sha512(...Array<Buffer>(repeats).fill(salt)), salt.length);

  const inputs = Array.from({ length: PATTERNS }, (_, round) => inputOf(round, p, s));
  // A string with one character for each byte, because Node takes twice as long to return a Buffer.
  let text = digest.toString('latin1');
  for (let round = 0; round < rounds; round += 1) {
    const { bytes, place } = inputs[round % PATTERNS]!;
    bytes.write(text, place, 'latin1');
    text = hash('sha512', bytes, 'binary');
  }
  return Buffer.from(text, 'latin1');
}

/** The parts of a round's input depend on the remainders of its number by 2, 3 and 7. */
const PATTERNS = 2 * 3 * 7;

/** The input of a round, with a gap at `place` for the digest of the round before. */
function inputOf(round: number, p: Buffer, s: Buffer): { readonly bytes: Buffer; readonly place: number } {
  const gap = Buffer.alloc(DIGEST_LENGTH);
  const middle = [...(round % 3 === 0 ? [] : [s]), ...(round % 7 === 0 ? [] : [p])];
  if (round % 2 === 0) return { bytes: Buffer.concat([gap, ...middle, p]), place: 0 };
  const before = Buffer.concat([p, ...middle]);
  return { bytes: Buffer.concat([before, gap]), place: before.length };
}

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

/** A salt that is too long is cut, as crypt(3) does. */
export function hashGuestPassword(
  password: string,
  salt = pick(CRYPT_ALPHABET, SALT_LENGTH),
  rounds = DEFAULT_ROUNDS,
): string {
  const used = salt.slice(0, SALT_LENGTH);
  const digest = digestOf(Buffer.from(password), Buffer.from(used), rounds);
  const told = rounds === DEFAULT_ROUNDS ? '' : `rounds=${rounds}$`;
  return `$6$${told}${used}$${encodeDigest(digest)}`;
}

export const newGuestPassword = (): string => pick(UNAMBIGUOUS, PASSWORD_LENGTH);

export function makeGuestPassword(): { password: string; hash: string } {
  const password = newGuestPassword();
  return { password, hash: hashGuestPassword(password, undefined, FEWEST_ROUNDS) };
}
