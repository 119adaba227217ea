/**
 * The format of API keys: `hpk1_<public id 12>_<secret 32><checksum 6>`, word characters only. With the checksum,
 * secret scanners and this service reject random strings without a look-up; it is not a security feature. The database
 * holds only a SHA-256: 190 random bits cannot be guessed, so a slow hash would add no security.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_ID = 12;
const SECRET = 32;
const CHECKSUM = 6;
const CHECKSUM_AT = 'hpk1_'.length + PUBLIC_ID + 1 + SECRET;
const SHAPE = /^hpk1_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/;
const ANYWHERE = /hpk1_([0-9A-Za-z]{12})_[0-9A-Za-z]{6,}/g;

export interface IssuedKey {
  readonly publicId: string;
  /** The whole key, as clients send it. It is shown once and not stored. */
  readonly key: string;
  readonly hash: Buffer;
}

/** Uses rejection sampling, because a byte modulo 62 would favour the first letters of the alphabet. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function hashKey(key: string): Buffer {
  // Goes through a hex string, because Node takes three times as long to return a Buffer. Every request does this.
  return Buffer.from(hash('sha256', `hostplane/api-key/1\0${key}`, 'hex'), 'hex');
}

export function issueKey(): IssuedKey {
  const publicId = randomBase62(PUBLIC_ID);
  const body = `hpk1_${publicId}_${randomBase62(SECRET)}`;
  const key = body + checksum(body);
  return { publicId, key, hash: hashKey(key) };
}

/** The public id of a well-formed key, or undefined. */
export function readPublicId(key: string): string | undefined {
  if (!SHAPE.test(key)) return undefined;
  if (checksum(key.slice(0, CHECKSUM_AT)) !== key.slice(CHECKSUM_AT)) return undefined;
  return key.slice(5, 5 + PUBLIC_ID);
}

/** An unknown public id is compared with this hash, so that it takes as long as a wrong secret does. */
export const DUMMY_HASH: Buffer = Buffer.alloc(32);

export function matchesHash(key: string, hash: Buffer): boolean {
  return timingSafeEqual(hashKey(key), hash);
}

export function maskKeys(text: string): string {
  return text.includes('hpk1_') ? text.replaceAll(ANYWHERE, 'hpk1_$1_***') : text;
}
