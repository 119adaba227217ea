/**
 * Encrypts (seals) secrets that must be used again, unlike API keys, which are only compared. The key is never in the
 * database, so a stolen backup does not reveal the secrets.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The environment variable that may hold the key instead of a file. */
export const SECRET_KEY_VARIABLE = 'HOSTPLANE_SECRET_KEY';

declare module '../services.ts' {
  interface Services {
    readonly secrets: Seal;
  }
}

const KEY_BYTES = 32;
const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + KEY_ID_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const TEXT_AT = TAG_AT + TAG_BYTES;

/** `null` unless the text is exactly 32 bytes in base64. */
export function parseKey(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES && bytes.toString('base64') === text ? bytes : null;
}

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

export class Seal {
  readonly #key: Buffer;
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;
  readonly #id: Buffer;

  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`A key has ${KEY_BYTES} bytes, not ${key.length}.`);
    this.#key = key;
    const digest = createHash('sha256').update('hostplane/secret-key/1\0').update(key).digest();
    this.fingerprint = digest.subarray(0, 16).toString('hex');
    this.#id = digest.subarray(0, KEY_ID_BYTES);
  }

  /** `owner` is the id of the secret's row. A sealed secret that is moved to another row cannot be opened there. */
  close(secret: Buffer, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), this.#id, nonce, cipher.getAuthTag(), text]);
  }

  open(sealed: Buffer, owner: string): Buffer {
    const isMine =
      sealed.length >= TEXT_AT && sealed[0] === FORMAT && sealed.subarray(1, NONCE_AT).equals(this.#id);
    if (!isMine) throw new Error(`The secret of ${owner} is sealed with another key.`);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(NONCE_AT, TAG_AT))
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(TAG_AT, TEXT_AT));
    return Buffer.concat([decipher.update(sealed.subarray(TEXT_AT)), decipher.final()]);
  }
}
