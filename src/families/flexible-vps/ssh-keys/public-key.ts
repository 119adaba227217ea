/**
 * Parses OpenSSH public keys: `type base64 comment`, where the base64 is a blob of length-prefixed fields that repeats
 * the type (RFC 4253 section 6.6, RFC 5656, RFC 8709, PROTOCOL.u2f). The parser validates every byte, because the line
 * is written into `authorized_keys`.
 */
import { createHash, createPublicKey } from 'node:crypto';
import { KeyBlob } from './blob.ts';

export const keyTypes = {
  ed25519: 'An Ed25519 key.',
  ecdsa: 'An ECDSA key on a NIST curve.',
  rsa: 'An RSA key.',
  'sk-ed25519': 'An Ed25519 key in a security key (FIDO).',
  'sk-ecdsa': 'An ECDSA key in a security key (FIDO).',
} as const;
export type KeyType = keyof typeof keyTypes;

export interface PublicKey {
  readonly type: KeyType;
  readonly bits: number;
  /** One line, with single spaces between its parts. */
  readonly line: string;
  readonly comment: string;
  /** Fingerprints in the format of `ssh-keygen -l -E sha256` and `-E md5`. */
  readonly sha256: string;
  readonly md5: string;
}

export type Reading =
  | { readonly key: PublicKey }
  /** `isPrivate`: the text contains a private key, so it must not be stored or logged. */
  | { readonly key: null; readonly isPrivate: boolean; readonly fault: string };

const RSA_BITS = { least: 2048, most: 16384 };
const ED25519_BYTES = 32;
const UNCOMPRESSED = 4;

const curves = {
  nistp256: { bits: 256, jwk: 'P-256' },
  nistp384: { bits: 384, jwk: 'P-384' },
  nistp521: { bits: 521, jwk: 'P-521' },
} as const;
type Curve = keyof typeof curves;

/** Why the text is not a valid public key. The message is returned to the caller, so it quotes no part of the text. */
class Fault extends Error {}

function readRsa(blob: KeyBlob): number {
  const exponent = blob.positive();
  const modulus = blob.positive();
  const isOdd = ({ bytes }: { bytes: Buffer }) => ((bytes.at(-1) ?? 0) & 1) === 1;
  if (!isOdd(exponent) || exponent.bits < 2 || !isOdd(modulus))
    throw new Fault('This is not a valid RSA key.');
  if (modulus.bits < RSA_BITS.least)
    throw new Fault(`RSA keys need ${RSA_BITS.least} bits or more; this one has ${modulus.bits}.`);
  if (modulus.bits > RSA_BITS.most)
    throw new Fault(`RSA keys may have ${RSA_BITS.most} bits at most; this one has ${modulus.bits}.`);
  return modulus.bits;
}

function readEd25519(blob: KeyBlob): number {
  if (blob.string().length !== ED25519_BYTES) throw new Fault('An Ed25519 key has 32 bytes.');
  return 256;
}

function readEcdsa(blob: KeyBlob, curve: Curve): number {
  if (blob.string().toString('latin1') !== curve) throw new Fault('The key names two different curves.');
  const { bits, jwk } = curves[curve];
  const size = Math.ceil(bits / 8);
  const point = blob.string();
  if (point.length !== 1 + 2 * size || point[0] !== UNCOMPRESSED)
    throw new Fault(`The point of a key on ${curve} has ${1 + 2 * size} bytes and begins with 4.`);
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map((part) =>
    part.toString('base64url'),
  );
  try {
    createPublicKey({ key: { kty: 'EC', crv: jwk, x: x ?? '', y: y ?? '' }, format: 'jwk' });
  } catch {
    throw new Fault(`The point is not on the curve ${curve}.`);
  }
  return bits;
}

/** The blob of a security key ends with the name of the application that the key signs for. */
function readApplication(blob: KeyBlob): void {
  if (blob.string().length === 0) throw new Fault('The key of a security key names no application.');
}

interface Format {
  readonly type: KeyType;
  /** Reads the fields after the name of the type and returns the key size in bits. */
  read(blob: KeyBlob): number;
}

const onCurve = (curve: Curve): Format => ({ type: 'ecdsa', read: (blob) => readEcdsa(blob, curve) });

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['ssh-ed25519', { type: 'ed25519', read: readEd25519 }],
  ['ssh-rsa', { type: 'rsa', read: readRsa }],
  ['ecdsa-sha2-nistp256', onCurve('nistp256')],
  ['ecdsa-sha2-nistp384', onCurve('nistp384')],
  ['ecdsa-sha2-nistp521', onCurve('nistp521')],
  [
    'sk-ssh-ed25519@openssh.com',
    {
      type: 'sk-ed25519',
      read(blob) {
        const bits = readEd25519(blob);
        readApplication(blob);
        return bits;
      },
    },
  ],
  [
    'sk-ecdsa-sha2-nistp256@openssh.com',
    {
      type: 'sk-ecdsa',
      read(blob) {
        const bits = readEcdsa(blob, 'nistp256');
        readApplication(blob);
        return bits;
      },
    },
  ],
]);

/** Matches PEM and PuTTY private keys, and the base64 of an OpenSSH private key without its PEM header. */
const PRIVATE = /BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File|b3BlbnNzaC1rZXktdjE/;

/** Characters that could end the line in `authorized_keys`, and other invisible characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
const UNSEEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/;

/** Accepts only canonical base64, so that each key has exactly one text form. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== text)
    throw new Fault('The second part of a public key is base64; this one is damaged or cut off.');
  return bytes;
}

function read(text: string): PublicKey {
  const line = text.trim();
  if (UNSEEN.test(line)) throw new Fault('A public key is one line without control characters.');
  const [, name = '', encoded = '', comment = ''] = /^(\S*)[ \t]*(\S*)[ \t]*(.*)$/.exec(line) ?? [];
  const format = formats.get(name);
  if (format === undefined) {
    const known = [...formats.keys()].join(', ');
    throw new Fault(`A public key begins with its type, one of ${known}.`);
  }
  const bytes = decode(encoded);
  const blob = new KeyBlob(bytes, () => new Fault('The key is damaged or cut off.'));
  if (blob.string().toString('latin1') !== name)
    throw new Fault('The key data has another type than the type at the start of the line.');
  const bits = format.read(blob);
  blob.end();
  const md5 = createHash('md5').update(bytes).digest('hex');
  return {
    type: format.type,
    bits,
    line: [name, encoded, ...(comment === '' ? [] : [comment])].join(' '),
    comment,
    sha256: `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`,
    md5: `MD5:${md5.match(/../g)?.join(':') ?? ''}`,
  };
}

/** Returns a fault instead of throwing, for any text. */
export function readPublicKey(text: string): Reading {
  if (PRIVATE.test(text)) {
    const fault =
      'This is a private key. It was not stored; send the public one (the file that ends in .pub).';
    return { key: null, isPrivate: true, fault };
  }
  try {
    return { key: read(text) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { key: null, isPrivate: false, fault: error.message };
  }
}
