/** Generates random SSH public keys. They have no private keys, because no test logs in with them. */
import { randomBytes } from 'node:crypto';

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Joins the fields of an SSH key blob, each with its length in front. */
export const blobOf = (...fields: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(fields.map((bytes) => field(Buffer.from(bytes as Buffer))));

export function freshPublicKey(comment = 'test@example.com'): string {
  return `ssh-ed25519 ${blobOf('ssh-ed25519', randomBytes(32)).toString('base64')} ${comment}`;
}
