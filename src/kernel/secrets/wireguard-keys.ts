/** The keys of WireGuard: Curve25519 (X25519) key pairs and preshared keys, each 32 bytes in base64. */
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const KEY_BYTES = 32;
/** What precedes the bytes of an X25519 private key in the format PKCS #8 (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b656e04220420', 'hex');

export const WIREGUARD_KEY = '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$';

function rawOf(key: KeyObject, member: 'd' | 'x'): string {
  return Buffer.from(key.export({ format: 'jwk' })[member] ?? '', 'base64url').toString('base64');
}

export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey: rawOf(privateKey, 'd'), publicKey: rawOf(publicKey, 'x') };
}

export const newPresharedKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** What precedes the bytes of an X25519 public key in the format SPKI (RFC 8410). */
const SPKI_HEADER = Buffer.from('302a300506032b656e032100', 'hex');
const { privateKey: anyKey } = generateKeyPairSync('x25519');

/**
 * Whether a tunnel with this public key would be open to everybody: a point of small order, such as zero, makes the same
 * secret with every private key. OpenSSL refuses to compute it.
 */
export function isWeakKey(publicKey: string): boolean {
  const der = Buffer.concat([SPKI_HEADER, Buffer.from(publicKey, 'base64')]);
  try {
    diffieHellman({
      privateKey: anyKey,
      publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }),
    });
    return false;
  } catch {
    return true;
  }
}

export function publicKeyOf(privateKey: string): string {
  const der = Buffer.concat([PKCS8_HEADER, Buffer.from(privateKey, 'base64')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return rawOf(createPublicKey(key), 'x');
}
