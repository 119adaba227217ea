/** A public key nobody has yet, without asking for its private half: nothing here ever signs in with it. */
import { randomBytes } from 'node:crypto';

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The fields of a key blob, one after the other. */
export const blobOf = (...fields: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(fields.map((bytes) => field(Buffer.from(bytes as Buffer))));

export function freshPublicKey(comment = 'test@example.com'): string {
  return `ssh-ed25519 ${blobOf('ssh-ed25519', randomBytes(32)).toString('base64')} ${comment}`;
}
