/**
 * The format of API keys: `hpk1_<public id 12>_<secret 32><checksum 6>`, word characters only. With the checksum,
 * secret scanners and this service reject random strings without a look-up; it is not a security feature. The database
 * holds only a SHA-256: 190 random bits cannot be guessed, so a slow hash would add no security.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_ID = 12;
const SECRET = 32;
const CHECKSUM = 6;
const CHECKSUM_AT = 'hpk1_'.length + PUBLIC_ID + 1 + SECRET;
const SECRET_AT = 'hpk1_'.length + PUBLIC_ID + 1;
const LENGTH = CHECKSUM_AT + CHECKSUM;
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

/** In base64, the form that Node returns fastest. Every request does this. */
const digestOf = (key: string): string => hash('sha256', `hostplane/api-key/1\0${key}`, 'base64');

export function issueKey(): IssuedKey {
  const publicId = randomBase62(PUBLIC_ID);
  const body = `hpk1_${publicId}_${randomBase62(SECRET)}`;
  const key = body + checksum(body);
  return { publicId, key, hash: Buffer.from(digestOf(key), 'base64') };
}

/** For each ASCII code the digit of base 62 that it stands for, or 255. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = ALPHABET.indexOf(String.fromCharCode(code));
  return digit < 0 ? 255 : digit;
});

/** The table of CRC-32 (polynomial 0xedb88320, as in zlib). */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

const isDigit = (code: number): boolean => code < 128 && DIGITS[code] !== 255;

/**
 * The public id of a well-formed key, or undefined. Every request does this, so shape and checksum are checked in one
 * pass over the characters: a regular expression and a call of zlib take several times as long.
 */
export function readPublicId(key: string): string | undefined {
  if (key.length !== LENGTH || !key.startsWith('hpk1_') || key[SECRET_AT - 1] !== '_') return undefined;
  let crc = 0xffffffff;
  for (let i = 0; i < CHECKSUM_AT; i++) {
    const code = key.charCodeAt(i);
    if (i >= 5 && i !== SECRET_AT - 1 && !isDigit(code)) return undefined;
    crc = (crc >>> 8) ^ CRC[(crc ^ code) & 255]!;
  }
  let sent = 0;
  for (let i = CHECKSUM_AT; i < LENGTH; i++) {
    const code = key.charCodeAt(i);
    if (!isDigit(code)) return undefined;
    sent = sent * 62 + DIGITS[code]!;
  }
  return sent === (crc ^ 0xffffffff) >>> 0 ? key.slice(5, 5 + PUBLIC_ID) : undefined;
}

/** The stored hash of a key in the form in which `matchesDigest` compares it. */
export const toDigest = (hash: Buffer): string => hash.toString('base64');

/** An unknown public id is compared with this digest, so that it takes as long as a wrong secret does. */
export const DUMMY_DIGEST: string = toDigest(Buffer.alloc(32));

/** Compares all characters, wherever the first difference is, so that the time tells nothing. */
export function matchesDigest(key: string, digest: string): boolean {
  const sent = digestOf(key);
  let difference = sent.length ^ digest.length;
  for (let i = 0; i < sent.length; i++) difference |= sent.charCodeAt(i) ^ digest.charCodeAt(i);
  return difference === 0;
}

export function maskKeys(text: string): string {
  return text.includes('hpk1_') ? text.replaceAll(ANYWHERE, 'hpk1_$1_***') : text;
}
