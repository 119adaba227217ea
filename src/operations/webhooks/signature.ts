/** Standard Webhooks: whoever holds the secret can tell that a message is ours, unchanged and not an old one again. */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const newSigningSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** As the receiver keeps it. */
export const showSigningSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

export interface Signed {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Buffer;
}

function signatureOf(secret: Buffer, { id, timestamp, body }: Signed): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/** One signature for each secret that holds now: while a secret is exchanged, the old one signs too. */
export function signatureHeaders(secrets: readonly Buffer[], message: Signed): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, message)).join(' '),
  };
}
