/** A passkey in software: what a browser and its authenticator answer to the options of the server (ES256, no attestation). */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** CBOR, as far as attestation objects and COSE keys need it. */
function cbor(value: number | string | Buffer | Map<unknown, unknown>): Buffer {
  const head = (major: number, length: number): Buffer => {
    if (length < 24) return Buffer.of((major << 5) | length);
    if (length < 256) return Buffer.of((major << 5) | 24, length);
    return Buffer.of((major << 5) | 25, length >> 8, length & 255);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([key, member]) => [cbor(key as number), cbor(member as Buffer)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

interface Challenge {
  readonly challenge: string;
}

export class SoftwarePasskey {
  readonly id = randomBytes(16);
  /** Whether the owner is asked for a PIN or a fingerprint. */
  verifiesUser = true;
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  #data(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++this.#counter);
    const all = PRESENT | (this.verifiesUser ? VERIFIED : 0) | flags;
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.of(all), counter]);
  }

  #client(type: string, { challenge }: Challenge): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #answer(response: object) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  register(options: Challenge) {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Buffer>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.of(0, this.id.length);
    const authData = Buffer.concat([this.#data(ATTESTED), Buffer.alloc(16), length, this.id, cbor(key)]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', options).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  sign(options: Challenge) {
    const authenticatorData = this.#data(0);
    const client = this.#client('webauthn.get', options);
    const signature = createSign('sha256')
      .update(Buffer.concat([authenticatorData, sha256(client)]))
      .sign(this.#privateKey);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }
}
